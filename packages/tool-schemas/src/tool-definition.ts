import { createHash } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/model';
import { adaptSchema } from './profile.ts';
import type { SchemaProfile } from './profile.ts';

/** The forms in which model APIs take a tool. */
export const TOOL_FORMATS = ['openai', 'anthropic', 'vercel-ai', 'gemini'] as const;
/** One of TOOL_FORMATS. */
export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** What a definition says of a tool. */
export interface DefinedTool {
  readonly toolSlug: string;
  readonly applicationSlug: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * The definitions of tools, in order, as a model API takes them: `openai`, a function of Chat Completions; `anthropic`, a tool of Messages;
 * `vercel-ai`, what `tool()` of the AI SDK takes, with a name; `gemini`, a function declaration. `profile` is that of the input schemas; without one, `anthropic` and `gemini` take
 * their own, because their APIs refuse others. Names differ from each other, match `[a-zA-Z0-9_-]{1,64}`, and are the slug where that does.
 * Source: completion.md "Applications and tools", `format`.
 */
export function toolDefinitions(
  tools: readonly DefinedTool[],
  format: ToolFormat,
  profile: SchemaProfile | undefined,
): readonly JsonObject[] {
  const counts = new Map<string, number>();
  for (const { toolSlug } of tools) counts.set(toolSlug, (counts.get(toolSlug) ?? 0) + 1);
  return tools.map((tool) =>
    toolDefinition(tool, toolName(tool, (counts.get(tool.toolSlug) ?? 0) > 1), format, profile),
  );
}

function toolDefinition(
  { description, inputSchema }: DefinedTool,
  name: string,
  format: ToolFormat,
  profile: SchemaProfile | undefined,
): JsonObject {
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

/** The slug if every API accepts it as a name and no other tool has it, otherwise its beginning and that of a hash. */
function toolName({ toolSlug, applicationSlug }: DefinedTool, isShared: boolean): string {
  const plain = toolSlug.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const begun = /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
  if (begun === toolSlug && begun.length <= MAX_NAME_LENGTH && !isShared) return begun;
  const hash = createHash('sha256')
    .update(`${applicationSlug}/${toolSlug}`)
    .digest('hex')
    .slice(0, HASH_LENGTH);
  return `${begun.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
