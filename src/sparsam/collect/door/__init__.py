"""The service that collects generalized records and refuses everything finer."""

# For the other folders, not for users.
from sparsam.collect.door._collector import collector as collector
from sparsam.collect.door._serve import Service as Service
from sparsam.collect.door._serve import check as check
from sparsam.collect.door._serve import listen as listen
from sparsam.collect.door._serve import serve as serve
