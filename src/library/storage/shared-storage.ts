import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import type { Database } from '../../store/database.ts';
import type { Manifest } from '../segment/store.ts';

/** The size and checksum of a file. */
export interface FileChecksum {
  size: number;
  crc: number;
}

/** A version of the shared manifest: the segments, and the checksums of their files. */
export interface ManifestVersion {
  /** Increases with every change. */
  generation: number;
  manifest: Manifest;
  files: Record<string, FileChecksum>;
}

/**
 * Shared storage for the libraries of several gateways. Files are immutable; a manifest version takes effect
 * when it is published.
 */
export interface SharedStorage {
  generation(): Promise<number>;
  edition(): Promise<ManifestVersion>;
  /** Reads the bytes of a file in order; throws when it no longer exists. */
  read(file: string, checksum: FileChecksum): AsyncGenerator<Uint8Array>;
  put(file: string, parts: Iterable<Uint8Array>): Promise<void>;
  /** Publishes a manifest version, unless another gateway published first since the generation before. */
  publish(before: number, version: ManifestVersion): Promise<boolean>;
  /** Deletes files that no manifest lists. */
  remove(files: string[]): Promise<void>;
}

const PIECE_BYTES = 512 * 1024;

/** Shared storage in PostgreSQL: the manifest in one row, files in pieces that fit a statement timeout. */
export function createSharedStorage(database: Database, library: string): SharedStorage {
  return {
    generation: async () => {
      const [row] = await database.read(
        'SELECT generation FROM library_manifests WHERE library = ?',
        library,
      );
      return Number(row?.['generation'] ?? 0);
    },
    edition: async () => {
      const [row] = await database.read('SELECT body FROM library_manifests WHERE library = ?', library);
      if (row === undefined || row['body'] === '') return EMPTY;
      return JSON.parse(String(row['body'])) as ManifestVersion;
    },
    read: (file, checksum) => readPieces(database, library, file, checksum),
    put: async (file, parts) => {
      let piece = 0;
      for (const body of pieces(parts)) {
        const values = [library, file, piece, body.toString('base64')];
        const sql = `INSERT INTO library_pieces (library, file, piece, body) VALUES (?, ?, ?, decode(?, 'base64'))
          ON CONFLICT (library, file, piece) DO UPDATE SET body = excluded.body`;
        await database.write([{ sql, values }]);
        piece += 1;
      }
    },
    publish: async (before, version) => {
      const [, changed] = await database.write([
        {
          sql: "INSERT INTO library_manifests (library, generation, body) VALUES (?, 0, '') ON CONFLICT DO NOTHING",
          values: [library],
        },
        {
          sql: 'UPDATE library_manifests SET generation = ?, body = ? WHERE library = ? AND generation = ? RETURNING generation',
          values: [version.generation, JSON.stringify(version), library, before],
        },
        // Left behind by an addition that was killed; a running one is younger.
        {
          sql: `DELETE FROM library_pieces WHERE library = ? AND created < now() - interval '1 day'
            AND NOT file = ANY (string_to_array(?, ' '))`,
          values: [library, Object.keys(version.files).join(' ')],
        },
      ]);
      return changed?.length === 1;
    },
    remove: async (files) => {
      if (files.length === 0) return;
      const sql = "DELETE FROM library_pieces WHERE library = ? AND file = ANY (string_to_array(?, ' '))";
      await database.write([{ sql, values: [library, files.join(' ')] }]);
    },
  };
}

const EMPTY: ManifestVersion = { generation: 0, manifest: { generation: 0, segments: [] }, files: {} };

async function* readPieces(
  database: Database,
  library: string,
  file: string,
  { size }: FileChecksum,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for (let piece = 0; done < size; piece += 1) {
    const [row] = await database.read(
      "SELECT encode(body, 'base64') AS body FROM library_pieces WHERE library = ? AND file = ? AND piece = ?",
      library,
      file,
      piece,
    );
    if (row === undefined)
      throw new HeadgateError(
        'storage_unavailable',
        own`Segment ${named(file)} of the library is not there any more.`,
      );
    const body = Buffer.from(String(row['body']), 'base64');
    done += body.length;
    yield body;
  }
}

/** Re-chunks the bytes into pieces of equal length; an empty file is one empty piece. */
function* pieces(parts: Iterable<Uint8Array>): Generator<Buffer> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      const taken = part.subarray(at, at + PIECE_BYTES - length);
      waiting.push(taken);
      length += taken.length;
      at += taken.length;
      if (length < PIECE_BYTES) continue;
      yield Buffer.concat(waiting);
      waiting = [];
      length = 0;
    }
  }
  if (length > 0) yield Buffer.concat(waiting);
}
