"""Methods of objects of Java's library, with their Python: texts, numbers, collections, times, JSON.

A template names the receiver ``a`` and the arguments ``b``, ``c``, ``d``; ``*rest`` means all arguments.
A result names a Java type; ``E``, ``K`` and ``V`` are type arguments of the receiver, ``=`` is its own type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["METHODS", "Template"]

Template = tuple[str, str]

_OBJECT: Final[Mapping[str, Template]] = {
    "equals/1": ("a == b", "boolean"),
    "hashCode/0": ("hash(a)", "int"),
    "toString/0": ("str(a)", "String"),
    "getClass/0": ("type(a)", "Class"),
}
_STRING: Final[Mapping[str, Template]] = {
    "charAt/1": ("a[b]", "char"),
    "chars/0": ("map(ord, a)", "Stream<int>"),
    "compareTo/1": ("java_compare(a, b)", "int"),
    "concat/1": ("a + b", "String"),
    "contains/1": ("b in a", "boolean"),
    "endsWith/1": ("a.endswith(b)", "boolean"),
    "equalsIgnoreCase/1": ("a.lower() == b.lower()", "boolean"),
    "getBytes/0": ("a.encode()", "byte[]"),
    "getBytes/1": ("a.encode(b)", "byte[]"),
    "hashCode/0": ("java_hash(a)", "int"),
    "indexOf/1": ("a.find(b)", "int"),
    "indexOf/2": ("a.find(b, c)", "int"),
    "intern/0": ("a", "String"),
    "isBlank/0": ("not a.strip()", "boolean"),
    "isEmpty/0": ("not a", "boolean"),
    "lastIndexOf/1": ("a.rfind(b)", "int"),
    "length/0": ("len(a)", "int"),
    "lines/0": ("iter(a.splitlines())", "Stream<String>"),
    "matches/1": ("java_matches(a, b)", "boolean"),
    "repeat/1": ("a * b", "String"),
    "replace/2": ("a.replace(b, c)", "String"),
    "replaceAll/2": ("java_replace_all(a, b, c)", "String"),
    "split/1": ("java_split(a, b)", "String[]"),
    "split/2": ("java_split(a, b, c)", "String[]"),
    "startsWith/1": ("a.startswith(b)", "boolean"),
    "strip/0": ("a.strip()", "String"),
    "subSequence/2": ("a[b:c]", "String"),
    "substring/1": ("a[b:]", "String"),
    "substring/2": ("a[b:c]", "String"),
    "toCharArray/0": ("list(a)", "char[]"),
    "toLowerCase/0": ("a.lower()", "String"),
    "toString/0": ("a", "String"),
    "toUpperCase/0": ("a.upper()", "String"),
    "trim/0": ("a.strip()", "String"),
}
_NUMBER: Final[Mapping[str, Template]] = {
    "booleanValue/0": ("a", "boolean"),
    "compareTo/1": ("java_compare(a, b)", "int"),
    "doubleValue/0": ("float(a)", "double"),
    "equals/1": ("a == b", "boolean"),
    "floatValue/0": ("float(a)", "double"),
    "hashCode/0": ("hash(a)", "int"),
    "intValue/0": ("int(a)", "int"),
    "longValue/0": ("int(a)", "long"),
    "toString/0": ("java_text(a)", "String"),
    "isNaN/0": ("math.isnan(a)", "boolean"),
}
_DECIMAL: Final[Mapping[str, Template]] = {
    "add/1": ("a + b", "="),
    "subtract/1": ("a - b", "="),
    "multiply/1": ("a * b", "="),
    "negate/0": ("-a", "="),
    "abs/0": ("abs(a)", "="),
    "toPlainString/0": ("format(a, 'f')", "String"),
    "doubleValue/0": ("float(a)", "double"),
    "intValue/0": ("int(a)", "int"),
    "longValue/0": ("int(a)", "long"),
    "signum/0": ("java_compare(a, 0)", "int"),
}
_COLLECTION: Final[Mapping[str, Template]] = {
    "contains/1": ("b in a", "boolean"),
    "containsAll/1": ("all(one in a for one in b)", "boolean"),
    "isEmpty/0": ("not a", "boolean"),
    "iterator/0": ("iter(a)", "Iterator<E>"),
    "size/0": ("len(a)", "int"),
    "stream/0": ("iter(a)", "Stream<E>"),
    "parallelStream/0": ("iter(a)", "Stream<E>"),
    "toArray": ("list(a)", "E[]"),
    "spliterator/0": ("iter(a)", "Iterator<E>"),
    "equals/1": ("a == b", "boolean"),
}
_LIST: Final[Mapping[str, Template]] = {
    **_COLLECTION,
    "get/1": ("a[b]", "E"),
    "getFirst/0": ("a[0]", "E"),
    "getLast/0": ("a[-1]", "E"),
    "indexOf/1": ("a.index(b) if b in a else -1", "int"),
    "subList/2": ("a[b:c]", "="),
    "poll/0": ("a.pop(0) if a else None", "E"),
    "peek/0": ("a[0] if a else None", "E"),
    "pop/0": ("a.pop(0)", "E"),
    "removeFirst/0": ("a.pop(0)", "E"),
    "removeLast/0": ("a.pop()", "E"),
}
_SET: Final[Mapping[str, Template]] = {**_COLLECTION, "first/0": ("min(a)", "E"), "last/0": ("max(a)", "E")}
_MAP: Final[Mapping[str, Template]] = {
    "containsKey/1": ("b in a", "boolean"),
    "containsValue/1": ("b in a.values()", "boolean"),
    "entrySet/0": ("a.items()", "Set<Entry<K, V>>"),
    "get/1": ("a.get(b)", "V"),
    "getOrDefault/2": ("a.get(b, c)", "V"),
    "getProperty/1": ("a.get(b)", "String"),
    "getProperty/2": ("a.get(b, c)", "String"),
    "isEmpty/0": ("not a", "boolean"),
    "keySet/0": ("a.keys()", "Set<K>"),
    "putIfAbsent/2": ("a.setdefault(b, c)", "V"),
    "remove/1": ("a.pop(b, None)", "V"),
    "size/0": ("len(a)", "int"),
    "stringPropertyNames/0": ("list(a)", "Set<String>"),
    "values/0": ("a.values()", "Collection<V>"),
    "equals/1": ("a == b", "boolean"),
}
_ITERATOR: Final[Mapping[str, Template]] = {"next/0": ("next(a)", "E")}
_STREAM: Final[Mapping[str, Template]] = {
    "allMatch/1": ("all(map(b, a))", "boolean"),
    "anyMatch/1": ("any(map(b, a))", "boolean"),
    "boxed/0": ("a", "="),
    "count/0": ("sum(1 for _ in a)", "long"),
    "distinct/0": ("iter(dict.fromkeys(a))", "="),
    "filter/1": ("filter(b, a)", "="),
    "findFirst/0": ("next(a, None)", "Optional<E>"),
    "limit/1": ("itertools.islice(a, b)", "="),
    "mapToObj/1": ("map(b, a)", "Stream<?>"),
    "map/1": ("map(b, a)", "Stream<?>"),
    "mapToDouble/1": ("map(b, a)", "Stream<double>"),
    "mapToInt/1": ("map(b, a)", "Stream<int>"),
    "mapToLong/1": ("map(b, a)", "Stream<long>"),
    "max/0": ("max(a, default=None)", "Optional<E>"),
    "min/0": ("min(a, default=None)", "Optional<E>"),
    "noneMatch/1": ("not any(map(b, a))", "boolean"),
    "reduce/2": ("functools.reduce(c, a, b)", "E"),
    "skip/1": ("itertools.islice(a, b, None)", "="),
    "sorted/0": ("iter(sorted(a))", "="),
    "sum/0": ("sum(a)", "E"),
    "toArray": ("list(a)", "E[]"),
    "toList/0": ("list(a)", "List<E>"),
    "iterator/0": ("a", "Iterator<E>"),
}
_OPTIONAL: Final[Mapping[str, Template]] = {
    "get/0": ("a", "E"),
    "getAsInt/0": ("a", "E"),
    "getAsLong/0": ("a", "E"),
    "getAsDouble/0": ("a", "E"),
    "isEmpty/0": ("a is None", "boolean"),
    "isPresent/0": ("a is not None", "boolean"),
    "map/1": ("None if a is None else b(a)", "Optional<?>"),
    "orElse/1": ("a if a is not None else b", "E"),
    "orElseGet/1": ("a if a is not None else b()", "E"),
}
_ENTRY: Final[Mapping[str, Template]] = {"getKey/0": ("a[0]", "K"), "getValue/0": ("a[1]", "V")}
_JSON: Final[Mapping[str, Template]] = {
    "asBoolean/0": ("bool(a)", "boolean"),
    "asDouble/0": ("float(a)", "double"),
    "asInt/0": ("int(a)", "int"),
    "asLong/0": ("int(a)", "long"),
    "asText/0": ("java_text(a)", "String"),
    "booleanValue/0": ("bool(a)", "boolean"),
    "doubleValue/0": ("float(a)", "double"),
    "elements/0": ("iter(a)", "Iterator<JsonNode>"),
    "fieldNames/0": ("iter(a)", "Iterator<String>"),
    "fields/0": ("iter(a.items())", "Iterator<Entry<String, JsonNode>>"),
    "get/1": ("a.get(b)", "JsonNode"),
    "has/1": ("b in a", "boolean"),
    "hasNonNull/1": ("a.get(b) is not None", "boolean"),
    "intValue/0": ("int(a)", "int"),
    "isArray/0": ("isinstance(a, list)", "boolean"),
    "isNull/0": ("a is None", "boolean"),
    "isMissingNode/0": ("a is None", "boolean"),
    "isObject/0": ("isinstance(a, dict)", "boolean"),
    "isTextual/0": ("isinstance(a, str)", "boolean"),
    "iterator/0": ("iter(a)", "Iterator<JsonNode>"),
    "longValue/0": ("int(a)", "long"),
    "path/1": ("(a or {}).get(b)", "JsonNode"),
    "size/0": ("len(a)", "int"),
    "textValue/0": ("a", "String"),
    "toString/0": ('json.dumps(a, separators=(",", ":"), ensure_ascii=False)', "String"),
    "getString/1": ("a.get(b)", "String"),
    "getInteger/1": ("int(a[b])", "int"),
    "getLong/1": ("int(a[b])", "long"),
    "getDouble/1": ("float(a[b])", "double"),
}
_MAPPER: Final[Mapping[str, Template]] = {
    "addModule/1": ("a", "="),
    "build/0": ("a", "="),
    "createArrayNode/0": ("[]", "JsonNode"),
    "createObjectNode/0": ("{}", "JsonNode"),
    "readTree/1": ("json.loads(b)", "JsonNode"),
    "registerModule/1": ("a", "="),
    "configure/2": ("a", "="),
    "writer/0": ("a", "="),
    "findAndAddModules/0": ("a", "="),
    "findAndRegisterModules/0": ("a", "="),
    "disable/1": ("a", "="),
    "enable/1": ("a", "="),
}
_INSTANT: Final[Mapping[str, Template]] = {
    "getEpochSecond/0": ("int(a.timestamp())", "long"),
    "getTime/0": ("round(a.timestamp() * 1000)", "long"),
    "isAfter/1": ("a > b", "boolean"),
    "isBefore/1": ("a < b", "boolean"),
    "after/1": ("a > b", "boolean"),
    "before/1": ("a < b", "boolean"),
    "compareTo/1": ("java_compare(a, b)", "int"),
    "minusMillis/1": ("a - timedelta(milliseconds=b)", "="),
    "minusSeconds/1": ("a - timedelta(seconds=b)", "="),
    "minusMinutes/1": ("a - timedelta(minutes=b)", "="),
    "minusHours/1": ("a - timedelta(hours=b)", "="),
    "minusDays/1": ("a - timedelta(days=b)", "="),
    "plusMillis/1": ("a + timedelta(milliseconds=b)", "="),
    "plusSeconds/1": ("a + timedelta(seconds=b)", "="),
    "plusMinutes/1": ("a + timedelta(minutes=b)", "="),
    "plusHours/1": ("a + timedelta(hours=b)", "="),
    "plusDays/1": ("a + timedelta(days=b)", "="),
    "toEpochMilli/0": ("round(a.timestamp() * 1000)", "long"),
    "toInstant/0": ("a", "Instant"),
    "getYear/0": ("a.year", "int"),
    "getMonthValue/0": ("a.month", "int"),
    "getDayOfMonth/0": ("a.day", "int"),
    "getHour/0": ("a.hour", "int"),
    "getMinute/0": ("a.minute", "int"),
    "getSecond/0": ("a.second", "int"),
    "format/1": ("a.strftime(b)", "String"),
    "atZone/1": ("a.astimezone(b)", "ZonedDateTime"),
    "toLocalDateTime/0": ("a.replace(tzinfo=None)", "LocalDateTime"),
    "toLocalDate/0": ("a.date()", "LocalDate"),
    "equals/1": ("a == b", "boolean"),
}
_RANDOM: Final[Mapping[str, Template]] = {
    "nextBoolean/0": ("a.next_boolean()", "boolean"),
    "nextDouble/0": ("a.next_double()", "double"),
    "nextDouble/2": ("a.next_double(b, c)", "double"),
    "nextFloat/0": ("a.next_float()", "double"),
    "nextGaussian/0": ("a.next_gaussian()", "double"),
    "nextInt/0": ("a.next_int()", "int"),
    "nextInt/1": ("a.next_int(b)", "int"),
    "nextInt/2": ("a.next_int(b, c)", "int"),
    "nextLong/0": ("a.next_long()", "long"),
    "nextLong/1": ("a.next_long(b)", "long"),
    "nextLong/2": ("a.next_long(b, c)", "long"),
}
_BUILDER: Final[Mapping[str, Template]] = {
    "length/0": ("len(a)", "int"),
    "toString/0": ("a", "String"),
    "charAt/1": ("a[b]", "char"),
    "isEmpty/0": ("not a", "boolean"),
    "reverse/0": ("a[::-1]", "String"),
}
_ATOMIC: Final[Mapping[str, Template]] = {
    "get/0": ("a", "int"),
    "intValue/0": ("a", "int"),
    "longValue/0": ("a", "long"),
}
_EXCEPTION: Final[Mapping[str, Template]] = {
    "getMessage/0": ("str(a)", "String"),
    "getLocalizedMessage/0": ("str(a)", "String"),
    "toString/0": ("repr(a)", "String"),
    "getCause/0": ("a.__cause__", "Exception"),
}
_ENUM: Final[Mapping[str, Template]] = {
    "name/0": ("a.name", "String"),
    "toString/0": ("str(a)", "String"),
    "ordinal/0": ("list(type(a)).index(a)", "int"),
    "equals/1": ("a == b", "boolean"),
}
_ROW: Final[Mapping[str, Template]] = {
    "getField/1": ("a[b]", "?"),
    "getFieldAs/1": ("a[b]", "?"),
    "getArity/0": ("len(a)", "int"),
    "getKind/0": ("a.get_row_kind()", "RowKind"),
    "toString/0": ("str(a)", "String"),
}
_BYTES: Final[Mapping[str, Template]] = {"length/0": ("len(a)", "int"), "clone/0": ("list(a)", "=")}
_RECORD: Final[Mapping[str, Template]] = {
    **{
        f"{method}/0": (f"a.{method}", kind)
        for method, kind in (
            ("topic", "String"), ("partition", "int"), ("offset", "long"), ("timestamp", "long"), ("key", "byte[]"), ("value", "byte[]"),
        )
    },
    "headers/0": ("a.headers", "?headers"),
    "timestampType/0": ("a.timestamp_type.label", "String"),
}  # fmt: skip
_HEADER: Final[Mapping[str, Template]] = {"key/0": ("a[0]", "String"), "value/0": ("a[1]", "byte[]")}
_HEADERS: Final[Mapping[str, Template]] = {
    "headers/1": ("[one for one in a if one[0] == b]", "List<?header>"),
    "lastHeader/1": ("java_header(a, b)", "?header"),
    "toArray/0": ("list(a)", "?header[]"),
}

METHODS: Final[Mapping[str, Mapping[str, Template]]] = {
    **dict.fromkeys(("String", "CharSequence"), _STRING),
    **dict.fromkeys(("StringBuilder", "StringBuffer"), _BUILDER),
    **dict.fromkeys(("int", "long", "double", "float", "short", "byte", "boolean", "char", "Number"), _NUMBER),
    **dict.fromkeys(("BigDecimal", "BigInteger"), _DECIMAL),
    **dict.fromkeys(("List", "ArrayList", "LinkedList", "Queue", "Deque", "ArrayDeque", "Vector"), _LIST),
    **dict.fromkeys(("Collection",), _COLLECTION),
    "Iterable": {**_COLLECTION, "size/0": ("len(list(a))", "int")},
    **dict.fromkeys(("Set", "HashSet", "LinkedHashSet", "TreeSet", "SortedSet"), _SET),
    **dict.fromkeys(
        ("Map", "HashMap", "LinkedHashMap", "TreeMap", "ConcurrentHashMap", "SortedMap", "Properties"), _MAP
    ),
    "AtomicInteger": _ATOMIC,
    "AtomicLong": _ATOMIC,
    "ConsumerRecord": _RECORD,
    "Date": _INSTANT,
    "Entry": _ENTRY,
    "Enum": _ENUM,
    "Exception": _EXCEPTION,
    **dict.fromkeys(("?header", "Header"), _HEADER),
    **dict.fromkeys(("?headers", "Headers"), _HEADERS),
    "Instant": _INSTANT,
    "Iterator": _ITERATOR,
    "JsonNode": _JSON,
    "LocalDate": _INSTANT,
    "LocalDateTime": _INSTANT,
    "Object": _OBJECT,
    "ObjectMapper": _MAPPER,
    **dict.fromkeys(("Optional", "OptionalInt", "OptionalLong", "OptionalDouble"), _OPTIONAL),
    "Path": {**_STRING, "getName/0": ("os.path.basename(a)", "String"), "getPath/0": ("a", "String")},
    "Random": _RANDOM,
    "Row": _ROW,
    "RuntimeModeOption": {"defaultValue/0": ("RuntimeExecutionMode.STREAMING", "RuntimeExecutionMode")},
    "Stream": _STREAM,
    "ThreadLocalRandom": _RANDOM,
    "Timestamp": _INSTANT,
    "UUID": {"toString/0": ("str(a)", "String")},
    "ZonedDateTime": _INSTANT,
    "array": _BYTES,
}
"""Methods of objects, by the class and by name and count of arguments."""
