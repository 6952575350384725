import { createHash } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/json';
import { adaptSchema } from './profile.ts';
import { withListArguments } from './list-arguments.ts';
import type { ListSupport } from './list-arguments.ts';
import type { SchemaProfile } from './profile.ts';

/** The formats of tool definitions in model APIs. */
export const TOOL_FORMATS = ['openai', 'anthropic', 'vercel-ai', 'gemini'] as const;
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
 * The definition of a tool in the format of a model API. `openai`: a function of Chat Completions; `anthropic`: a tool of Messages;
 * `vercel-ai`: the argument of the AI SDK's `tool()`, with a name; `gemini`: a function declaration. `profile`: the dialect of the input
 * schema; default: that of the format for `anthropic` and `gemini`, whose APIs refuse other schemas. List arguments are members beside the
 * inputs. The name matches `[a-zA-Z_][a-zA-Z0-9_-]{0,63}` and is unique among all tools. Source: row completion.applications-and-tools.62.
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
      const functionSchema = { name, description, parameters: adapted(), ...(isStrict && { strict: true }) };
      return { type: 'function', function: functionSchema };
    }
    case 'anthropic':
      return { name, description, input_schema: adapted('anthropic') };
    case 'vercel-ai':
      return { name, description, inputSchema: adapted() };
    case 'gemini':
      return { name, description, parameters: adapted('gemini') };
  }
}

/** The slug, if no other tool can have the same; otherwise the beginning of the slug, and of its hash. */
function toolName({ toolSlug, applicationSlug }: Pick<DefinedTool, 'toolSlug' | 'applicationSlug'>): string {
  if (isOwnForm(toolSlug, applicationSlug) && toolSlug.length <= MAX_NAME_LENGTH) return toolSlug;
  const plain = toolSlug.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const name = /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
  const hash = createHash('sha256')
    .update(`${applicationSlug}/${toolSlug}`)
    .digest('hex')
    .slice(0, HASH_LENGTH);
  return `${name.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

/**
 * Whether a slug has the form of our own catalogue, `<applicationSlug>-<verb>-<noun>`. Only one application can have a slug of this form;
 * with more or fewer words after the application's slug, another application could have it, too.
 */
function isOwnForm(toolSlug: string, applicationSlug: string): boolean {
  const begin = `${applicationSlug}-`;
  return toolSlug.startsWith(begin) && /^[a-z0-9]+-[a-z0-9]+$/.test(toolSlug.slice(begin.length));
}
