"""Was a person among those whom a model was trained on?"""
