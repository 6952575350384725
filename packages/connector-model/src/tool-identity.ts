import type { ToolDefinition } from './model.ts';

/** The names of a tool. */
export interface IdentifiedTool {
  readonly applicationSlug: string;
  /** Whether the application is the platform's, rather than an account's own. */
  readonly isPlatform: boolean;
  readonly definition: Pick<ToolDefinition, 'toolSlug' | 'aliases'> & {
    readonly execution: ToolDefinition['execution'] | { readonly type: 'passthrough' };
  };
}

/** Stands for every application instead of a slug. Slugs contain no space, so it cannot be a slug. */
const ANY = '*';

/**
 * Stable identities of a tool, the one to store first. An MCP server changes the slugs of its tools when it adds
 * another one, so its tools are identified by the application (one connection) and the server's name for the tool.
 * Other tools of an account's own application are identified by their requests. The platform's tools keep their
 * slugs, and former slugs are aliases.
 */
export function toolIdentities({
  applicationSlug,
  isPlatform,
  definition,
}: IdentifiedTool): readonly string[] {
  const { toolSlug, aliases, execution } = definition;
  if (execution.type === 'mcp')
    return [applicationSlug, ANY].map((application) => `mcp ${application} ${execution.toolName}`);
  if (execution.type === 'http' && !isPlatform)
    return [`http ${applicationSlug} ${execution.request.method} ${execution.request.url}`];
  return [toolSlug, ...aliases].map((slug) => `slug ${slug}`);
}

/** An identity that MCP tools with the same name share across applications; for any other tool, its own identity. */
export function identityInAny(identity: string): string {
  return identity.replace(/^mcp [^ ]+ /, `mcp ${ANY} `);
}
