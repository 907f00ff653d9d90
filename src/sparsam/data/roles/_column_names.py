"""What the name of a column tells of what is in it."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

# Words are English, then German, French, Spanish and Italian, and stand here without accents.
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_IDENTIFIERS = {
    *("id", "ids", "uid", "pid", "uuid", "guid", "hhid", "identifier", "index", "row", "key"),
    *("userid", "rowid", "personid", "patientid", "customerid", "clientid", "memberid", "loanid"),
    *("recordid", "caseid", "respid", "respondentid", "serial", "serialno", "nr", "no"),
    *("ssn", "isin", "iban", "phone", "telephone", "mobile", "fax", "email", "mail"),
    *("fallnr", "fallnummer", "kundennr", "kundennummer", "patientennr", "patientennummer"),
    *("personalnummer", "personalnr", "versichertennummer", "steuernummer", "telefon"),
    *("telefonnummer", "rufnummer", "identifiant", "courriel", "siret", "correo", "dni"),
    *("nif", "telefono", "movil", "cellulare"),
}
_FIRST = {"id", "ssn", "email", "phone"}
_NAMES_OF_PEOPLE = {
    *("name", "firstname", "lastname", "surname", "forename", "fullname", "username", "nickname"),
    *("address", "street", "passport", "signature"),
    *("vorname", "nachname", "familienname", "anschrift", "adresse", "strasse", "hausnummer"),
    *("nom", "prenom", "rue", "apellido", "apellidos", "direccion", "calle"),
    *("nome", "cognome", "indirizzo"),
}
_NO_PERSON = {"file", "product", "column", "table", "variable", "brand", "company", "item"}
_WEIGHTS = {"fnlwgt", "pwgtp", "wgtp", "wtss", "wtssall", "wtssnr", "wtssps", "wgt", "pweight"}

# Whole numbers under such a name stand for something else.
_CODES = {
    *("code", "codes", "cd", "type", "category", "cat", "class", "group", "status", "flag"),
    *("occupation", "occ", "occp", "industry", "ind", "indp", "naics", "sic", "icd", "cpt", "soc"),
    *("state", "st", "country", "region", "division", "county", "puma", "pobp", "zip", "zipcode"),
    *("postcode", "postal", "plz", "sex", "gender", "race", "ethnicity", "religion", "relig"),
    *("marital", "language", "nationality", "cow", "mar", "relp", "rac", "hisp", "cit"),
    *("postleitzahl", "geschlecht", "beruf", "branche", "bundesland", "familienstand", "sexe"),
    *("profession", "departement", "sexo", "profesion", "provincia", "sesso", "professione"),
}
_COUNTS = {"num", "number", "n", "no", "count", "nr"}
_PLACES = {
    *("zip", "zipcode", "postcode", "postal", "plz", "city", "town", "municipality", "county"),
    *("puma", "region", "state", "st", "country", "province", "district", "pobp"),
    *("postleitzahl", "ort", "wohnort", "stadt", "gemeinde", "bundesland", "landkreis", "kanton"),
    *("ville", "commune", "departement", "ciudad", "municipio", "provincia", "comune"),
}
_BIRTH = {
    *("birth", "birthday", "birthdate", "dob", "born", "geburtsdatum", "geburtstag", "geburt"),
    *("geburtsjahr", "geb", "naissance", "nacimiento", "nascita"),
}
_AGE_AND_SEX = {
    *("age", "agep", "sex", "gender", "alter", "geschlecht", "sexe", "edad", "sexo", "sesso"),
}
_ORIGIN = {
    *("nationality", "citizenship", "cit", "staatsangehorigkeit", "nationalitat", "herkunft"),
    *("nationalite", "nacionalidad", "nazionalita", "cittadinanza"),
}
_MARRIAGE = {"marital", "mar", "married", "familienstand"}
_RECOGNISED = (
    _PLACES
    | _BIRTH
    | _AGE_AND_SEX
    | _ORIGIN
    | _MARRIAGE
    | {
        *("race", "rac", "ethnicity"),
        *("occupation", "occp", "job", "profession", "employer", "education", "schl", "degree"),
        *("beruf", "arbeitgeber", "bildung", "schulabschluss", "metier", "emploi", "diplome"),
        *("profesion", "empleo", "estudios", "professione", "lavoro", "istruzione"),
    }
)
# What people are told apart by, beside the special categories below (Charter of Fundamental Rights,
# Art. 21).
_GROUPS = (
    _AGE_AND_SEX
    | _ORIGIN
    | _MARRIAGE
    | {
        *("citizen", "origin", "language", "colour", "color", "muttersprache", "langue", "idioma"),
    }
)

_SPECIAL = {
    "health": {
        *("health", "disease", "illness", "ill", "diagnosis", "diag", "icd", "disability", "dis"),
        *("disabled", "medical", "medication", "drug", "hospital", "patient", "treatment", "bmi"),
        *("symptom", "blood", "glucose", "cholesterol", "diabetes", "cancer", "hiv", "pregnant"),
        *("pregnancy", "smoker", "smoking", "mental", "depression", "pain", "therapy", "insulin"),
        *("heart", "vaccination", "allergy", "surgery", "deye", "dear", "drem", "ddrs", "dphy"),
        *("gesundheit", "krankheit", "diagnose", "behinderung", "gdb", "raucher", "blutdruck"),
        *("schwanger", "impfung", "allergie", "sante", "maladie", "diagnostic", "handicap"),
        *("fumeur", "enceinte", "salud", "enfermedad", "diagnostico", "discapacidad", "fumador"),
        *("salute", "malattia", "diagnosi", "disabilita", "fumatore"),
    },
    "religion": {
        *("religion", "relig", "religious", "church", "faith", "denomination", "belief", "attend"),
        *("pray", "god", "confession", "konfession", "glaube", "kirche", "kirchensteuer"),
        *("religionszugehorigkeit", "religione", "iglesia"),
    },
    "ethnic origin": {
        *("race", "racial", "rac", "ethnic", "ethnicity", "hisp", "hispanic", "latino", "ancestry"),
        *("anc", "native", "nativity", "tribe", "skin", "ethnie", "ethnisch", "hautfarbe"),
        *("migrationshintergrund", "ethnique", "etnia", "etnico", "raza", "razza"),
    },
    "sex life": {
        *("sexual", "orientation", "lgbt", "gay", "sexuality", "sexuell", "sexualitat"),
        *("sexuelle", "sexualidad", "sessuale"),
    },
    "union": {"union", "unionised", "gewerkschaft", "syndicat", "sindicato", "sindacato"},
    "politics": {
        *("political", "politics", "party", "partyid", "vote", "voted", "polviews", "ideology"),
        *("partei", "politisch", "politique", "politica", "partido", "partito", "voto"),
    },
    "genetic": {"genetic", "gene", "genome", "dna"},
    "biometric": {"biometric", "fingerprint", "iris", "face", "voice"},
}
_UNITS = {
    **dict.fromkeys(("age", "agep"), "years"),
    **dict.fromkeys(("years", "yrs"), "years"),
    **dict.fromkeys(("months",), "months"),
    **dict.fromkeys(("days",), "days"),
    **dict.fromkeys(("hours", "hrs", "wkhp"), "hours"),
    **dict.fromkeys(("minutes",), "minutes"),
    **dict.fromkeys(("eur", "euro", "euros"), "EUR"),
    **dict.fromkeys(("usd", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("gbp",), "GBP"),
    **dict.fromkeys(("kg",), "kg"),
    **dict.fromkeys(("cm",), "cm"),
    **dict.fromkeys(("km",), "km"),
    **dict.fromkeys(("percent", "pct", "percentage"), "%"),
}


def words_in(name: str) -> list[str]:
    """Return the words that the name of a column is made of, in small letters without accents.

    Examples
    --------
    >>> words_in("customerID"), words_in("BIRTH_date"), words_in("zip code")
    (['customer', 'id'], ['birth', 'date'], ['zip', 'code'])
    >>> words_in("Date de naissance"), words_in("Nationalität"), words_in("Straße")
    (['date', 'de', 'naissance'], ['nationalitat'], ['strasse'])
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return [word.lower() for word in _WORDS.findall(letters)]


def called_identifier(name: str) -> bool:
    """Tell whether a column is called as columns are that name or number people.

    Examples
    --------
    >>> [called_identifier(name) for name in ("PATIENT_ID", "customerID", "paid", "no of children")]
    [True, True, False, False]
    """
    words = words_in(name)
    return bool(words) and (words[-1] in _IDENTIFIERS or words[0] in _FIRST)


def called_name(name: str) -> bool:
    """Tell whether a column is called as columns are that hold names or addresses.

    Examples
    --------
    >>> [called_name(name) for name in ("first_name", "file name", "named")]
    [True, False, False]
    """
    words = words_in(name)
    return bool(_NAMES_OF_PEOPLE.intersection(words)) and not _NO_PERSON.intersection(words)


def called_weight(name: str) -> bool:
    """Tell whether a column is called as the weights of a sample are."""
    words = words_in(name)
    return bool(_WEIGHTS.intersection(words)) or (
        "weight" in words and bool({"sample", "sampling", "survey", "person"}.intersection(words))
    )


def called_code(name: str) -> bool:
    """Tell whether whole numbers in a column of this name stand for something else.

    Examples
    --------
    >>> called_code("RAC1P"), called_code("occupation_code"), called_code("age")
    (True, True, False)
    """
    return bool(_CODES.intersection(words_in(name)))


def called_count(name: str) -> bool:
    """Tell whether a column is called as columns are that count something.

    Examples
    --------
    >>> called_count("num_dependents"), called_count("number of children"), called_count("no")
    (True, True, False)
    """
    words = words_in(name)
    return len(words) > 1 and (words[0] in _COUNTS or words[-1] in {"count", "counts"})


def called_place(name: str) -> bool:
    """Tell whether a column is called as places are."""
    return bool(_PLACES.intersection(words_in(name)))


def called_birth(name: str) -> bool:
    """Tell whether a column is called as days of birth are."""
    return bool(_BIRTH.intersection(words_in(name)))


def recognised_by(name: str) -> bool:
    """Tell whether others may know of a person what a column of this name holds.

    Examples
    --------
    >>> recognised_by("marital-status"), recognised_by("credit score")
    (True, False)
    """
    return bool(_RECOGNISED.intersection(words_in(name)))


def called_group(name: str) -> bool:
    """Tell whether a column is called as what people are told apart by and discriminated for.

    Examples
    --------
    >>> [called_group(name) for name in ("SEX", "RAC1P", "disability", "hours-per-week")]
    [True, True, True, False]
    """
    return bool(_GROUPS.intersection(words_in(name))) or special_category(name) is not None


def special_category(name: str) -> str | None:
    """Name the special category (GDPR Art. 9) that a column of this name may belong to.

    A hint for a person to decide: nothing counts as such a category unless `Roles` declare it.

    Examples
    --------
    >>> special_category("ethnic_group"), special_category("height")
    ('ethnic origin', None)
    """
    words = set(words_in(name))
    return next((what for what, known in _SPECIAL.items() if known & words), None)


def unit_of(name: str) -> str | None:
    """Name the unit of a column, where its name tells; "in 2 years" is a span, and no unit.

    Examples
    --------
    >>> unit_of("hours-per-week"), unit_of("income"), unit_of("visits_2yrs")
    ('hours', None, None)
    """
    words = ["", *words_in(name)]
    units = (
        _UNITS[word] for before, word in pairwise(words) if word in _UNITS and not before.isdigit()
    )
    return next(units, None)
