import { createHash } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/model';
import { adaptSchema } from './profile.ts';
import { withListArguments } from './list-arguments.ts';
import type { ListSupport } from './list-arguments.ts';
import type { SchemaProfile } from './profile.ts';

/** The forms in which model APIs take a tool. */
export const TOOL_FORMATS = ['openai', 'anthropic', 'vercel-ai', 'gemini'] as const;
/** One of TOOL_FORMATS. */
export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** The public definition of a tool. */
export interface DefinedTool extends ListSupport {
  readonly toolSlug: string;
  readonly applicationSlug: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * The definition of a tool as a model API takes it: `openai`, a function of Chat Completions; `anthropic`, a tool of Messages;
 * `vercel-ai`, what `tool()` of the AI SDK takes, with a name; `gemini`, a function declaration. `profile` is that of the input schema; without one, `anthropic` and `gemini` take
 * their own, because their APIs refuse others. The arguments of a list are beside the inputs. The name matches `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`, and is the tool's alone, whatever list it is in.
 * Source: row completion.applications-and-tools.62.
 */
export function toolDefinition(
  { description, inputSchema: ownSchema, ...tool }: DefinedTool,
  format: ToolFormat,
  profile: SchemaProfile | undefined,
): JsonObject {
  const name = toolName(tool);
  const inputSchema = withListArguments(ownSchema, tool);
  const adapted = (own?: SchemaProfile): JsonObject => {
    const chosen = profile ?? own;
    return chosen === undefined ? inputSchema : adaptSchema(inputSchema, chosen);
  };
  switch (format) {
    case 'openai': {
      const isStrict = profile === 'openai-strict';
      const called = { name, description, parameters: adapted(), ...(isStrict && { strict: true }) };
      return { type: 'function', function: called };
    }
    case 'anthropic':
      return { name, description, input_schema: adapted('anthropic') };
    case 'vercel-ai':
      return { name, description, inputSchema: adapted() };
    case 'gemini':
      return { name, description, parameters: adapted('gemini') };
  }
}

/** The slug if no other tool can have it; otherwise its beginning and the beginning of its hash. */
function toolName({ toolSlug, applicationSlug }: Pick<DefinedTool, 'toolSlug' | 'applicationSlug'>): string {
  if (isOwnForm(toolSlug, applicationSlug) && toolSlug.length <= MAX_NAME_LENGTH) return toolSlug;
  const plain = toolSlug.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const begun = /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
  const hash = createHash('sha256')
    .update(`${applicationSlug}/${toolSlug}`)
    .digest('hex')
    .slice(0, HASH_LENGTH);
  return `${begun.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

/**
 * Whether a slug is `<applicationSlug>-<verb>-<noun>`, the form of our own catalogue. A slug is that for one application only; with more or
 * fewer words after it, it may be a tool of another one, too.
 */
function isOwnForm(toolSlug: string, applicationSlug: string): boolean {
  const begin = `${applicationSlug}-`;
  return toolSlug.startsWith(begin) && /^[a-z0-9]+-[a-z0-9]+$/.test(toolSlug.slice(begin.length));
}
