"""
What does a model that already runs really need?
================================================

A model is in use, and you must show that it is given no more than it needs. It is not trained
again and not changed: it is asked. Values for which it answers alike need not be told apart. Then
a questionnaire asks each person only what can still change the answer.
"""

import numpy as np

import sparsam as sp
from sparsam.assess import assess_model

people = sp.load_example().take(range(4000)).to_frame("pandas")


def allowance(frame):
    """Stand for the model that you have: any function of a frame will do."""
    age = frame["age"].to_numpy()
    impaired = frame["disability"].to_numpy() == "yes"
    alone = np.isin(frame["marital_status"].to_numpy(), ["divorced", "separated", "widowed"])
    young = (age >= 18) & (age < 60) & alone
    return np.where((age >= 67) | ((age >= 60) & impaired) | young, "yes", "no")


# %%
# We ask that 99 % of its answers stay as they are. What is found is a generalization (the ranges
# to ask for) and a recoding (what the unchanged model is fed instead).

least = sp.ModelTree(allowance, sp.Roles("employed"), keep_accuracy=0.99).fit(people)
print(least.generalization_)
least.generalization_.plot(collected=True)

# %%
# Along the search more and more detail is lost, and for a long way no answer changes. The star is
# what was chosen, measured on people held out; the dotted line is what one answer for everyone
# would keep, so a high figure alone proves little.

evidence = assess_model(least, people, rows=least.held_out_rows_)
print(f"kept {evidence.relative_accuracy.score:.4f}, target met: {evidence.met}")
evidence.plot()

# %%
# A form asks everybody everything. A questionnaire stops when the answer is certain: who is over
# 67 is asked nothing more.

questions = sp.Questionnaire(least.recoding_)
asked = questions.ask(people.iloc[least.held_out_rows_])
print(asked)
asked.plot()

# %%
# One person, question by question.

interview = questions.start()
while interview.next is not None:
    answer = {"age": 30, "disability": "no", "marital_status": "married"}[interview.next]
    print(f"{interview.next}? {answer}")
    interview = interview.answer(interview.next, answer)
print(f"answer: {interview.prediction}")

# %%
# **What it does not mean.** The target is about the model's *own* answers, whether they are right
# or not: a bad model is kept as bad as it is. And a question that is not asked tells something
# too: that somebody was asked for no more says that the first answer was enough.
