"""Compares what others read in a Parquet file with what was written into it, cell by cell, and their own search by bounds with a plain one.

usage: peers.py TOLD.tsv FILE.parquet
"""

import datetime
import struct
import sys


def cell(text, kind):
    if text == "":
        return None
    if text.startswith("x"):
        value = bytes.fromhex(text[1:])
        return value.decode() if kind == "Text" else value
    if kind == "Real":
        return struct.unpack(">d", bytes.fromhex(text))[0]
    number = int(text)
    return datetime.date(1970, 1, 1) + datetime.timedelta(number) if kind == "Day" else number


def bits(value):
    return struct.pack("<d", value) if isinstance(value, float) else value


def pandas_rows(path, kinds):
    import pandas

    frame = pandas.read_parquet(path, dtype_backend="pyarrow")
    columns = [[None if v is pandas.NA or v is None else v for v in frame[name].array.to_numpy(dtype=object, na_value=None)] for name in frame]
    return [tuple(row) for row in zip(*columns)]


def duckdb_rows(path, kinds):
    import duckdb

    return duckdb.sql(f"SELECT * FROM read_parquet('{path}')").fetchall()


def polars_rows(path, kinds):
    import polars

    return polars.read_parquet(path).rows()


def pyarrow_rows(path, kinds):
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    return list(zip(*(column.to_pylist() for column in table.columns)))


def search(path, names, kinds, rows):
    """What a reader that believes the bounds finds."""
    import duckdb

    for at, (name, kind) in enumerate(zip(names, kinds)):
        values = sorted({row[at] for row in rows if row[at] is not None and row[at] == row[at]})
        if not values:
            continue
        for value in (values[0], values[len(values) // 2], values[-1]):
            found = duckdb.execute(f"SELECT count(*) FROM read_parquet('{path}') WHERE {name} = ?", [value]).fetchone()[0]
            expected = sum(row[at] == value for row in rows)
            assert found == expected, (name, value, found, expected)


def main(told, path):
    with open(told, encoding="utf-8") as file:
        head = file.readline().rstrip("\n").rstrip("\t").split("\t")
        names, kinds = zip(*(field.split(":") for field in head))
        rows = [tuple(map(cell, line.rstrip("\n").split("\t"), kinds)) for line in file]
    readers = []
    for module, read in [("pyarrow", pyarrow_rows), ("duckdb", duckdb_rows), ("polars", polars_rows), ("pandas", pandas_rows)]:
        try:
            __import__(module)
        except ImportError:
            print(f"skipped: there is no {module}")
            continue
        found = read(path, kinds)
        assert len(found) == len(rows), (module, len(found), len(rows))
        for number, (one, other) in enumerate(zip(rows, found)):
            for name, a, b in zip(names, one, other, strict=True):
                assert bits(a) == bits(b), (module, number, name, a, b)
        readers.append(module)
        if module == "duckdb":
            search(path, names, kinds, rows)
    print(len(rows), ",".join(readers))


main(*sys.argv[1:])
