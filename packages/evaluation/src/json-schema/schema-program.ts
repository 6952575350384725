import { hash } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { Program } from '../evaluation-workers.ts';

/** By identity: definitions are cached, so that most are hashed once. */
const programs = new WeakMap<JsonObject, Program>();

/** A JSON Schema as a program. Its input is `{value, root}`; `parseIssues` reads its result. */
export function schemaProgram(schema: JsonObject): Program {
  let program = programs.get(schema);
  if (program === undefined) {
    const source = (): string => JSON.stringify(schema);
    program = { language: 'jsonSchema', key: hash('sha256', source(), 'base64'), source };
    programs.set(schema, program);
  }
  return program;
}
