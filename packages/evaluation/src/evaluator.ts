import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { builtOutput, UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { EvaluationAnswer, Language, ProgramJob } from './evaluation-job.ts';
import { compileSchema } from './json-schema/compiled-schema.ts';
import { compileCondition, compileTemplate, syntaxIssues } from './jsonata/template.ts';

/** Longest JSON of a schema. The catalogue stores none that is larger. */
const MAX_SCHEMA_LENGTH = 65_536;

/** A compiled program. Throws RangeError if the input nests too deep for it. */
type RunProgram = (input: Json) => Json | Promise<Json>;

/** How programs of each language are compiled; an error says why one cannot be. */
const LANGUAGES: Readonly<Record<Language, (source: string) => RunProgram>> = {
  jsonSchema(source) {
    if (source.length > MAX_SCHEMA_LENGTH) throw new Error(`The schema has ${source.length} characters.`);
    // schemaProgram wrote this source.
    const compiled = compileSchema(JSON.parse(source) as JsonObject);
    return (input) => {
      // The input has the form that schemaProgram declares.
      const { value, root } = input as { readonly value: JsonObject; readonly root: string };
      return compiled.issuesOf(value, root).map(({ field, issue }) => ({ field, issue }));
    };
  },
  // templateProgram wrote this source.
  jsonata: (source) => compileTemplate(JSON.parse(source) as Json),
  jsonataCondition: (source) => compileCondition(source),
  jsonataSyntax: () => syntaxIssues,
};

interface CompiledProgram {
  readonly run: RunProgram;
  readonly bytes: number;
}

/** Memory of a compiled schema, as measured: a fixed part, and a multiple of its source. */
const PROGRAM_BYTES = 32 * 1024;
const BYTES_PER_CHARACTER = 100;

/**
 * Runs the jobs of one worker and caches compiled programs, up to about `maxBytes` of memory; drops the least recently used ones first. A
 * program above the limit is the only one in the cache.
 */
export function createEvaluator({ maxBytes }: { readonly maxBytes: number }): {
  /** `bytes` are the bytes that came with the job. */
  answer(job: ProgramJob, bytes?: Uint8Array): Promise<EvaluationAnswer>;
} {
  // In the order of use: the first entry is the least recently used one.
  const programs = new Map<string, CompiledProgram>();
  let totalBytes = 0;

  function compile({ key, language, source }: Extract<ProgramJob, { kind: 'compile' }>): EvaluationAnswer {
    if (programs.has(key)) return { kind: 'compiled' };
    let run: RunProgram;
    try {
      run = LANGUAGES[language](source);
    } catch (error) {
      return { kind: 'invalid', reason: error instanceof Error ? error.message : String(error) };
    }
    const bytes = PROGRAM_BYTES + BYTES_PER_CHARACTER * source.length;
    programs.set(key, { run, bytes });
    totalBytes += bytes;
    for (const [oldest, { bytes: freed }] of programs) {
      if (totalBytes <= maxBytes || oldest === key) break;
      programs.delete(oldest);
      totalBytes -= freed;
    }
    return { kind: 'compiled' };
  }

  async function run(key: string, input: () => Json): Promise<EvaluationAnswer> {
    const program = programs.get(key);
    if (program === undefined) return { kind: 'unknown' };
    programs.delete(key);
    programs.set(key, program);
    try {
      return { kind: 'result', result: await program.run(input()) };
    } catch (error) {
      if (error instanceof RangeError) return { kind: 'tooDeep' };
      throw error;
    }
  }

  return {
    async answer(job, bytes = new Uint8Array()) {
      switch (job.kind) {
        case 'compile':
          return compile(job);
        case 'run':
          return await run(job.key, () => job.input);
        case 'runUnbuilt':
          return await run(job.key, () => ({
            value: builtOutput(new UnbuiltOutput(job.shape, bytes)),
            root: job.root,
          }));
      }
    },
  };
}
