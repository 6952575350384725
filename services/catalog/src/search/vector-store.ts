import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import { readVectorFile, writeVectorFile } from './vector-file.ts';
import type { Vector } from './vectors.ts';

/** Previously computed vectors, by the keys of their texts. */
export interface VectorStore {
  /** Resolves when the vectors of earlier runs are loaded. */
  ready(): Promise<void>;
  get(key: string): Vector | undefined;
  set(key: string, vector: Vector): void;
  /** Stores vectors for the next run, if they can be stored. */
  save(): Promise<void>;
}

/** Number of cached vectors of accounts' own tools: 20 MB. Others are computed again. */
const MAX_RECENT = 20_000;

/** Creates an in-memory store of the most recently used vectors. */
export function createRecentVectors(): VectorStore {
  const vectors = new Map<string, Vector>();
  return {
    async ready() {},
    get(key) {
      const vector = vectors.get(key);
      if (vector !== undefined) rememberRecent(vectors, key, vector, MAX_RECENT);
      return vector;
    },
    set: (key, vector) => rememberRecent(vectors, key, vector, MAX_RECENT),
    async save() {},
  };
}

/**
 * Opens the store in a file beside the catalogue, which is read at first use. In a container the file is read-only: it is part of the
 * image.
 */
export function openVectorFile(path: string, log: Logger): VectorStore {
  const used = new Map<string, Vector>();
  let known = new Map<string, Vector>();
  let reading: Promise<void> | undefined;
  return {
    ready() {
      reading ??= readVectorFile(path).then((vectors) => void (known = vectors));
      return reading;
    },
    get(key) {
      const vector = known.get(key);
      if (vector !== undefined) used.set(key, vector);
      return vector;
    },
    set(key, vector) {
      known.set(key, vector);
      used.set(key, vector);
    },
    async save() {
      await writeVectorFile(path, used).catch((error: unknown) =>
        log.info({ err: error }, 'could not store the vectors of the catalogue'),
      );
    },
  };
}
