"""Later people against the evidence of an artifact: does its promise still hold?"""
