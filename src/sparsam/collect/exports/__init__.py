"""A generalization in the languages of other tools: SQL, JavaScript, JSON Schema, dbt."""

from sparsam.collect.exports._attribute_facts import attribute_facts as attribute_facts
from sparsam.collect.exports._dbt import to_dbt as to_dbt
from sparsam.collect.exports._fhir import to_fhir as to_fhir
from sparsam.collect.exports._javascript import bucket_code as bucket_code
from sparsam.collect.exports._javascript import script_json as script_json
from sparsam.collect.exports._javascript import to_javascript as to_javascript
from sparsam.collect.exports._json_schema import interview_schema as interview_schema
from sparsam.collect.exports._json_schema import to_json_schema as to_json_schema
from sparsam.collect.exports._pydantic import to_pydantic as to_pydantic
from sparsam.collect.exports._sql import DIALECTS as DIALECTS
from sparsam.collect.exports._sql import to_sql as to_sql
from sparsam.collect.exports._sql import to_sql_check as to_sql_check
from sparsam.collect.exports._xlsform import spreadsheet as spreadsheet
from sparsam.collect.exports._xlsform import to_xlsform as to_xlsform
