"""The form and the questionnaire as pages that cannot send more than the generalization allows."""

# For the other folders, not for users.
from sparsam.collect.form._form import Form as Form
