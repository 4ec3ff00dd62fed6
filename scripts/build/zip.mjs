// A small ZIP writer: deflated entries in the order given, with fixed dates so that the same files give the same archive.
import { deflateRawSync } from 'node:zlib';

const DATE = ((2026 - 1980) << 9) | (1 << 5) | 1;

/** @param {{ name: string, bytes: Buffer }[]} entries */
export function zip(entries) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const path = Buffer.from(name);
    const packed = deflateRawSync(bytes, { level: 9 });
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(0x0800, 2); // Names are UTF-8.
    about.writeUInt16LE(8, 4);
    about.writeUInt16LE(DATE, 8);
    about.writeUInt32LE(crc32(bytes), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(path.length, 22);
    parts.push(uint32(0x04034b50), about, path, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(0o644 << 16, 6);
    place.writeUInt32LE(offset, 10);
    // The version that made it, then the same as before the entry, then where the entry is.
    directory.push(uint32(0x02014b50), Buffer.from([20, 3]), about, place, path);
    offset += 4 + about.length + path.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, list, uint32(0x06054b50), end]);
}

const uint32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
};

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
