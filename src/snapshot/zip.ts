import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

// ZIP files whose members are stored as they are: what is inside is compressed already, and can be read at its place.

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
/** 1 January 1980, the first day that the format knows: when a file was packed would make two of the same recording differ. */
const DATE = 0x21;
const BYTES_MAX = 0xffff_ffff;
const DIRECTORY_MAX = 64_000_000;

export interface Member {
  name: string;
  offset: number;
  length: number;
}

export interface ZipWriter {
  /** Adds a member, whose bytes come in pieces. */
  add(name: string, pieces: Iterable<Buffer>): Member;
  /** Writes the directory; returns the size of the file. */
  end(): number;
}

/** Writes members one after the other. */
export function createZip(path: string): ZipWriter {
  const file = openSync(path, 'w');
  const members: (Member & { head: Buffer; at: number })[] = [];
  let at = 0;
  const put = (bytes: Buffer, place = at): void => {
    for (let done = 0; done < bytes.length;)
      done += writeSync(file, bytes, done, bytes.length - done, place + done);
    at = Math.max(at, place + bytes.length);
    if (at > BYTES_MAX) throw new RangeError('A snapshot holds at most 4 GB.');
  };
  return {
    add: (name, pieces) => {
      const start = at;
      const label = Buffer.from(name);
      const offset = start + 30 + label.length;
      let crc = 0;
      at = offset;
      for (const piece of pieces) {
        crc = crc32(piece, crc);
        put(piece);
      }
      const head = commonHead(label, crc, at - offset);
      const member = { name, offset, length: at - offset };
      put(Buffer.concat([number(LOCAL, 4), head, label]), start);
      members.push({ ...member, head, at: start });
      return member;
    },
    end: () => {
      const start = at;
      for (const { name, head, at: from } of members)
        put(
          Buffer.concat([
            number(CENTRAL, 4),
            number(20, 2),
            head,
            Buffer.alloc(10),
            number(from, 4),
            Buffer.from(name),
          ]),
        );
      const count = number(members.length, 2);
      put(
        Buffer.concat([
          number(END, 4),
          Buffer.alloc(4),
          count,
          count,
          number(at - start, 4),
          number(start, 4),
          Buffer.alloc(2),
        ]),
      );
      closeSync(file);
      return at;
    },
  };
}

/** What a member's head and its row in the directory share: version, flags for names in UTF-8, method, date, sum, sizes. */
const commonHead = (label: Buffer, crc: number, length: number): Buffer =>
  Buffer.concat([
    number(20, 2),
    number(0x0800, 2),
    number(0, 4),
    number(DATE, 2),
    number(crc, 4),
    number(length, 4),
    number(length, 4),
    number(label.length, 2),
    number(0, 2),
  ]);

function number(value: number, bytes: 2 | 4): Buffer {
  const made = Buffer.alloc(bytes);
  made.writeUIntLE(value, 0, bytes);
  return made;
}

/** The members of a file, by name. Throws on what is not such a file; compressed members are left out. */
export function readZip(file: number): Map<string, Member> {
  const { size } = fstatSync(file);
  const tail = readAt(file, Math.max(0, size - END_BYTES - 0xffff), Math.min(size, END_BYTES + 0xffff));
  const end = tail.lastIndexOf(number(END, 4));
  if (end < 0 || end + END_BYTES > tail.length) throw new SyntaxError('This is not a ZIP file.');
  const [length, start] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (Math.max(length, start) === BYTES_MAX) throw new RangeError('This is a ZIP64 file.');
  if (length > DIRECTORY_MAX || start + length > size) throw new SyntaxError('This ZIP file is damaged.');
  const directory = readAt(file, start, length);
  const members = new Map<string, Member>();
  for (let place = 0; place + 46 <= directory.length && directory.readUInt32LE(place) === CENTRAL;) {
    const lengths = [28, 30, 32].map((field) => directory.readUInt16LE(place + field));
    const [label = 0] = lengths;
    const name = directory.toString('utf8', place + 46, place + 46 + label);
    const isStored = directory.readUInt16LE(place + 10) === 0;
    if (isStored) {
      const start = directory.readUInt32LE(place + 42);
      const local = readAt(file, start, 30);
      if (local.length < 30 || local.readUInt32LE(0) !== LOCAL)
        throw new SyntaxError('This ZIP file is damaged.');
      const offset = start + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
      const length = directory.readUInt32LE(place + 24);
      if (length === BYTES_MAX) throw new RangeError('This is a ZIP64 file.');
      if (offset + length > size) throw new SyntaxError('This ZIP file is damaged.');
      members.set(name, { name, offset, length });
    }
    place += 46 + lengths.reduce((sum, one) => sum + one, 0);
  }
  return members;
}

/** Bytes of a file; fewer where it ends. */
export function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
}
