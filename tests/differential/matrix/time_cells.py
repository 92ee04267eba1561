"""Calls of functions of times."""

from __future__ import annotations

from tests.differential.matrix.family import Family, family

__all__ = ["TIME_FAMILIES"]

_STAMPS = (
    (None, None, None, None, None, None, None, None),
    *(
        (
            f"{day}T{clock}",
            f"{day}T{clock[:8]}",
            f"{day}T{clock}456",
            f"{day}T{clock}456789",
            instant,
            day,
            clock[:8],
            count,
        )
        for day, clock, instant, count in (
            ("1970-01-01", "00:00:00.000", "1970-01-01T00:00:00Z", 0),
            ("1969-12-31", "23:59:59.999", "1969-12-31T22:59:59.999Z", 1),
            ("2021-03-28", "02:30:00.500", "2021-03-28T00:59:59.999Z", -1),
            ("2021-10-31", "02:30:15.120", "2021-10-31T01:30:00.007Z", 2),
            ("2024-02-29", "12:00:00.100", "2024-02-29T23:30:00Z", 12),
            ("1582-10-10", "10:10:10.010", "1582-10-10T10:10:10.010Z", -13),
            ("9999-12-31", "23:59:59.999", "9999-12-30T22:00:00Z", -3),
        )
    ),
)
_UNITS = [
    "YEAR",
    "QUARTER",
    "MONTH",
    "WEEK",
    "DAY",
    "DOY",
    "DOW",
    "ISODOW",
    "ISOYEAR",
    "HOUR",
    "MINUTE",
    "SECOND",
    "MILLISECOND",
    "MICROSECOND",
    "EPOCH",
]
_FIELDS = ["YEAR", "QUARTER", "MONTH", "WEEK", "DAYOFYEAR", "DAYOFMONTH", "DAYOFWEEK", "HOUR", "MINUTE", "SECOND"]
_ROUNDED = ["YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND"]
_CALLS = (
    *(f"EXTRACT({unit} FROM t)" for unit in (*_UNITS, "CENTURY", "DECADE", "MILLENNIUM")),
    *(f"EXTRACT({unit} FROM d)" for unit in _UNITS[:9]),
    *(f"EXTRACT({unit} FROM z)" for unit in ("YEAR", "DAY", "HOUR", "SECOND", "EPOCH")),
    *(f"EXTRACT({unit} FROM c)" for unit in ("HOUR", "MINUTE", "SECOND", "MILLISECOND")),
    *(f"{field}(t)" for field in _FIELDS),
    *(f"{field}(d)" for field in ("YEAR", "WEEK", "DAYOFWEEK", "HOUR")),
    *("HOUR(z)", "DAYOFMONTH(z)", "MINUTE(c)", "SECOND(t9)"),
    *(f"{name}(t TO {unit})" for name in ("FLOOR", "CEIL") for unit in _ROUNDED),
    *(f"{name}(d TO {unit})" for name in ("FLOOR", "CEIL") for unit in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY")),
    *(f"{name}(z TO {unit})" for name in ("FLOOR", "CEIL") for unit in ("YEAR", "DAY", "HOUR", "SECOND")),
    *("FLOOR(c TO HOUR)", "CEIL(c TO MINUTE)", "FLOOR(t6 TO SECOND)", "CEIL(t0 TO MINUTE)"),
    *(f"TIMESTAMPADD({unit}, n, t)" for unit in _ROUNDED[:8]),
    *(f"TIMESTAMPADD({unit}, n, d)" for unit in ("YEAR", "QUARTER", "MONTH", "DAY", "HOUR")),
    *(
        "TIMESTAMPADD(HOUR, 1, z)",
        "TIMESTAMPADD(DAY, 1, z)",
        "TIMESTAMPADD(MONTH, n, z)",
        "TIMESTAMPADD(MINUTE, 90, t6)",
    ),
    *(f"TIMESTAMPDIFF({unit}, t, TIMESTAMP '2021-03-31 00:00:00')" for unit in _ROUNDED[:8]),
    *(f"TIMESTAMPDIFF({unit}, d, DATE '2020-02-29')" for unit in ("YEAR", "MONTH", "WEEK", "DAY", "HOUR")),
    *("TIMESTAMPDIFF(DAY, t, z)", "TIMESTAMPDIFF(HOUR, z, z + INTERVAL '36' HOUR)", "TIMESTAMPDIFF(SECOND, t0, t)"),
)
_OPERATED = r"""
t + INTERVAL '1' DAY
t - INTERVAL '1' MONTH
t + INTERVAL '1-2' YEAR TO MONTH
t + INTERVAL '1 02:03:04.567' DAY TO SECOND
t0 + INTERVAL '1' SECOND
t9 + INTERVAL '1' HOUR
z + INTERVAL '1' DAY
z + INTERVAL '1' HOUR
z - INTERVAL '1' MONTH
d + INTERVAL '1' DAY
d + INTERVAL '1' MONTH
d - INTERVAL '2' YEAR
d + INTERVAL '1' HOUR
c + INTERVAL '1' HOUR
c - INTERVAL '90' SECOND
c + INTERVAL '30' HOUR
INTERVAL '1' DAY + t
INTERVAL '1' DAY * n
INTERVAL '1' MONTH * n
INTERVAL '1' DAY + INTERVAL '2' HOUR
-INTERVAL '1' DAY
t - t0
d - d
t < t0
t = t0
t9 > t
t <> t6
z = z
t > '2000-01-01 00:00:00'
d = '2021-03-28'
d < DATE '2000-01-01'
c > TIME '12:00:00'
t BETWEEN TIMESTAMP '2000-01-01 00:00:00' AND TIMESTAMP '2030-01-01 00:00:00'
d IN (DATE '2021-03-28', DATE '1970-01-01')
d < t
z > t
GREATEST(t, TIMESTAMP '2000-01-01 00:00:00')
LEAST(d, DATE '2000-01-01')
COALESCE(t, t6)
COALESCE(t0, t)
COALESCE(d, DATE '2000-01-01')
IF(n > 0, t, t9)
NULLIF(d, DATE '2021-03-28')
CASE WHEN n > 0 THEN d ELSE t END
(t, INTERVAL '1' DAY) OVERLAPS (TIMESTAMP '2021-03-28 00:00:00', INTERVAL '2' DAY)
(d, d) OVERLAPS (DATE '2021-01-01', DATE '2022-01-01')
DATE_FORMAT(t, 'yyyy-MM-dd HH:mm:ss.SSS')
DATE_FORMAT(t, 'EEE d MMM yy')
DATE_FORMAT(t, 'QQQ D u')
DATE_FORMAT(t6, 'HH:mm:ss.SSSSSS')
DATE_FORMAT(z, 'yyyy-MM-dd HH:mm')
DATE_FORMAT(CAST(t AS STRING), 'yyyyMMdd')
DATE_FORMAT(t, 'nonsense')
UNIX_TIMESTAMP(CAST(t AS STRING))
UNIX_TIMESTAMP(DATE_FORMAT(t, 'yyyyMMdd'), 'yyyyMMdd')
CONVERT_TZ(DATE_FORMAT(t, 'yyyy-MM-dd HH:mm:ss'), 'UTC', 'Europe/Berlin')
CONVERT_TZ(DATE_FORMAT(t, 'yyyy-MM-dd HH:mm:ss'), 'Europe/Berlin', 'America/Los_Angeles')
TO_DATE(DATE_FORMAT(t, 'yyyy-MM-dd'))
TO_TIMESTAMP(CAST(t9 AS STRING))
TO_TIMESTAMP(CAST(t6 AS STRING), 'yyyy-MM-dd HH:mm:ss.SSSSSS')
TYPEOF(t - t0)
TYPEOF(c + INTERVAL '1' HOUR)
TYPEOF(FLOOR(t TO DAY))
"""
_WRITTEN = tuple(
    (text, pattern)
    for text, pattern in (
        (None, None),
        ("", "yyyy"),
        ("2021-03-28", "yyyy-MM-dd"),
        ("2021-03-28 02:30:00", "yyyy-MM-dd HH:mm:ss"),
        ("2021-03-28 12:34:56.789123", "yyyy-MM-dd HH:mm:ss.SSSSSS"),
        ("2021-10-31 02:30:00", "yyyy-MM-dd HH:mm"),
        ("1969-12-31T23:59:59", "yyyy-MM-dd'T'HH:mm:ss"),
        ("28.03.2021", "dd.MM.yyyy"),
        ("nonsense", "nonsense["),
        ("2021-02-30", "yyyy-MM-dd"),
        ("2021-3-8 1:2:3", "yyyy-M-d H:m:s"),
        ("0001-01-01 00:00:00", "yyyy-MM-dd HH:mm:ss"),
        (" 2021-03-28 ", "yyyy"),
        ("1616916600", "yyyyMMdd"),
    )
)
_WRITTEN_CALLS = r"""
TO_DATE(s)
TO_DATE(s, p)
TO_DATE(s, 'dd.MM.yyyy')
TO_TIMESTAMP(s)
TO_TIMESTAMP(s, p)
TO_TIMESTAMP(s, 'yyyy-MM-dd')
TO_TIMESTAMP_LTZ(s)
TO_TIMESTAMP_LTZ(s, p)
TO_TIMESTAMP_LTZ(s, 'yyyy-MM-dd HH:mm:ss', 'Asia/Tokyo')
UNIX_TIMESTAMP(s)
UNIX_TIMESTAMP(s, p)
DATE_FORMAT(s, 'yyyy/MM/dd HH')
DATE_FORMAT(s, p)
CONVERT_TZ(s, 'UTC', 'Asia/Tokyo')
CONVERT_TZ(s, 'nowhere', 'UTC')
TIMESTAMPADD(DAY, 1, TO_TIMESTAMP(s))
YEAR(TO_DATE(s))
"""
_EPOCHS = (
    (None, None),
    (0, 0.0),
    (-1, -1.5),
    (1616893199, 1616893199.123),
    (1635640200, "NaN"),
    (253402300799, 1e10),
    (1616893199123, 0.999),
)
_EPOCH_CALLS = r"""
FROM_UNIXTIME(l)
FROM_UNIXTIME(l, 'yyyy-MM-dd')
FROM_UNIXTIME(l, 'HH:mm:ss z')
FROM_UNIXTIME(CAST(l AS INT))
TO_TIMESTAMP_LTZ(l)
TO_TIMESTAMP_LTZ(l, 0)
TO_TIMESTAMP_LTZ(l, 3)
TO_TIMESTAMP_LTZ(l, 6)
TO_TIMESTAMP_LTZ(d, 0)
TO_TIMESTAMP_LTZ(d, 3)
CAST(TO_TIMESTAMP_LTZ(l, 0) AS STRING)
CAST(TO_TIMESTAMP_LTZ(l, 0) AS TIMESTAMP(3))
DATE_FORMAT(TO_TIMESTAMP_LTZ(l, 0), 'yyyy-MM-dd HH:mm:ss')
EXTRACT(HOUR FROM TO_TIMESTAMP_LTZ(l, 0))
"""

TIME_FAMILIES: tuple[Family, ...] = (
    family(
        "stamps",
        "t TIMESTAMP(3); t0 TIMESTAMP(0); t6 TIMESTAMP(6); t9 TIMESTAMP(9); z TIMESTAMP_LTZ(3); d DATE; c TIME(3); n INT",
        _STAMPS,
        *_CALLS,
        _OPERATED,
    ),
    family("written", "s STRING; p STRING", _WRITTEN, _WRITTEN_CALLS),
    family("epochs", "l BIGINT; d DOUBLE", _EPOCHS, _EPOCH_CALLS),
)
"""Families of functions of times."""
