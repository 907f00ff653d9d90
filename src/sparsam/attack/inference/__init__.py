"""What does a model tell of an attribute that it was given?"""
