import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { OutputShape } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { DividedSizes, FilePart } from './divided-result.ts';

// Messages between a service and its evaluation workers. A worker may be compromised, so its answers are checked.

/** The languages of programs. */
export type Language = 'jsonSchema' | 'jsonata' | 'jsonataCondition' | 'jsonataSyntax';

/** A program is compiled once per worker, then run by its key. */
export type ProgramJob =
  | { readonly kind: 'compile'; readonly key: string; readonly language: Language; readonly source: string }
  | { readonly kind: 'run'; readonly key: string; readonly input: Json }
  /** The input is `{value, root}`; the value is the output in the job's bytes. */
  | { readonly kind: 'runUnbuilt'; readonly key: string; readonly shape: OutputShape; readonly root: string };

/** Masks secrets in the object whose JSON is in the job's bytes; the worker does not keep the secrets. */
export interface MaskJob {
  readonly kind: 'mask';
  readonly secrets: readonly string[];
}

/** Collects the texts of a value that a schema flags as secret. */
export interface CollectJob {
  readonly kind: 'collect';
  readonly schema: JsonObject;
  readonly value: JsonObject;
}

/** Converts the output in the job's bytes to its returned and its stored form. */
export interface FinishJob {
  readonly kind: 'finish';
  readonly shape: OutputShape;
  readonly secrets: readonly string[];
  /** The schema that flags parts of the output as secret; null: none does. */
  readonly flags: JsonObject | null;
  /** The paths to the returned parts; null: everything is returned. */
  readonly parts: readonly string[] | null;
  readonly maxStoredBytes: number;
  /**
   * Whether the bytes are an MCP server's result: all of it is returned, and its output is stored (mcp-result.ts).
   * Default: no.
   */
  readonly isMcpResult?: boolean;
  /** Whether the caller is an MCP client, for which a larger answer is divided (divided-result.ts). Default: no. */
  readonly division?: DividedSizes | undefined;
}

/** A file of a divided result, with the number of its bytes. */
type FileEntry = Omit<FilePart, 'content'> & { readonly bytes: number };

/** The result of a FinishJob. */
export type FinishAnswer =
  /**
   * The bytes beside the answer are the JSON of the returned form (its length is `answerBytes`), then the JSON of the stored form, then the
   * contents of `files`. `secrets` are the texts that the schema flags. `isBinary`: no `parts` were selected, and parts of the output may
   * consist of bytes only.
   */
  | {
      readonly kind: 'finished';
      readonly answerBytes: number;
      readonly secrets: readonly string[];
      readonly isBinary: boolean;
      readonly files: readonly FileEntry[];
    }
  | { readonly kind: 'failed'; readonly message: string };

/** The result of a job. */
export type EvaluationAnswer =
  | { readonly kind: 'compiled' }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'result'; readonly result: Json }
  /** The worker does not have the program: it is new, or was dropped from the cache. */
  | { readonly kind: 'unknown' }
  /** The input nests too deep for the program. */
  | { readonly kind: 'tooDeep' }
  /** The object holds no secret. */
  | { readonly kind: 'unchanged' }
  /** The JSON of the masked object is in the bytes beside the answer. */
  | { readonly kind: 'masked' };

const MAX_REASON_LENGTH = 500;
/** Maximum number of files in an answer, above the number that a division produces. */
const MAX_FILES = 20;

/** Parses a worker's answer to a FinishJob. Throws if it is invalid. */
export function parseFinishAnswer(value: unknown): FinishAnswer {
  const answer: Readonly<Record<string, unknown>> = typeof value === 'object' ? { ...value } : {};
  const { kind, answerBytes, secrets, isBinary, files, message } = answer;
  if (kind === 'failed') return { kind, message: String(message).slice(0, MAX_REASON_LENGTH) };
  if (kind !== 'finished' || !Array.isArray(secrets))
    throw new TypeError('The answer of a worker is not a finished output.');
  return {
    kind,
    answerBytes: Number(answerBytes),
    secrets: secrets.map(String),
    isBinary: isBinary === true,
    files: Array.isArray(files) ? files.slice(0, MAX_FILES).map(fileEntry) : [],
  };
}

function fileEntry(value: unknown): FileEntry {
  const { contentType, at, isWhole, bytes }: Readonly<Record<string, unknown>> =
    typeof value === 'object' ? { ...value } : {};
  return {
    contentType: String(contentType),
    at: Number(at),
    isWhole: isWhole === true,
    bytes: Number(bytes),
  };
}

/** Parses a worker's answer. Throws if it is invalid; a result may be any JSON. */
export function parseAnswer(value: unknown): EvaluationAnswer {
  const answer: Readonly<Record<string, unknown>> = typeof value === 'object' ? { ...value } : {};
  const { kind, reason, result } = answer;
  switch (kind) {
    case 'compiled':
    case 'unknown':
    case 'tooDeep':
    case 'unchanged':
    case 'masked':
      return { kind };
    case 'invalid':
      return { kind, reason: String(reason).slice(0, MAX_REASON_LENGTH) };
    case 'result':
      // The result was parsed from JSON, or is absent.
      return { kind, result: (result ?? null) as Json };
    default:
      throw new TypeError('The answer of a worker is not the end of an evaluation.');
  }
}
