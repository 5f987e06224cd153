# SPDX-License-Identifier: MIT
"""The code signature of a Mach-O slice: on arm64 the kernel runs nothing without one, and ends a program whose pages are not those that were
signed. Format: cs_blobs.h of XNU; its numbers are big-endian."""

import hashlib
import struct

HEADER_BYTES = 32
LC_CODE_SIGNATURE = 0x1D
SUPER_BLOB = 0xFADE0CC0
CODE_DIRECTORY = 0xFADE0C02
AD_HOC = 0x2
SHA256 = 2


def find_command(data):
    """Where the signature is, and its bytes; None: there is none."""
    count, at = struct.unpack_from("<I", data, 16)[0], HEADER_BYTES
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        if command == LC_CODE_SIGNATURE:
            return struct.unpack_from("<II", data, at + 8)
        at += size
    return None


def directories(blob):
    magic, _, count = struct.unpack_from(">III", blob)
    for i in range(count if magic == SUPER_BLOB else 0):
        offset = struct.unpack_from(">I", blob, 12 + 8 * i + 4)[0]
        if struct.unpack_from(">I", blob, offset)[0] == CODE_DIRECTORY:
            yield blob[offset:]


def troubles(data, is_needed):
    """What is wrong with it, a text each. `is_needed`: none at all is wrong."""
    found = find_command(data)
    if found is None:
        if is_needed:
            yield "not signed, which arm64 insists on"
        return
    offset, size = found
    signed = list(directories(data[offset : offset + size]))
    if len(signed) != 1:
        yield f"a signature with {len(signed)} code directories instead of 1"
        return
    flags, hashes, _, _, slots, limit, hash_bytes, kind, _, page_shift = struct.unpack_from(">IIIIIIBBBB", signed[0], 12)
    if not flags & AD_HOC:
        yield f"its signature is not ad hoc (flags {flags:#x}), and nobody signed it"
    if kind != SHA256 or hash_bytes != hashlib.sha256().digest_size:
        yield f"its signature has hashes of kind {kind} with {hash_bytes} bytes instead of SHA-256"
        return
    page = 1 << page_shift
    if limit != offset or slots != -(-limit // page):
        yield f"its signature is of {limit:#x} bytes in {slots} pages, and {offset:#x} are before it"
        return
    for i in range(slots):
        digest = hashlib.sha256(data[i * page : min((i + 1) * page, limit)]).digest()
        if digest != signed[0][hashes + i * hash_bytes : hashes + (i + 1) * hash_bytes]:
            yield f"the page at {i * page:#x} is not what was signed"
