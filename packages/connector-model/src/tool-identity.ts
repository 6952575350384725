import type { ToolDefinition } from './model.ts';

/** A tool, as far as it says what it is called. */
export interface IdentifiedTool {
  readonly applicationSlug: string;
  /** Whether the application is the platform's; not an account's own. */
  readonly isPlatform: boolean;
  readonly definition: Pick<ToolDefinition, 'toolSlug' | 'aliases'> & {
    readonly execution: ToolDefinition['execution'] | { readonly type: 'passthrough' };
  };
}

/** In place of an application's slug: every application. No slug is it, and none has a space. */
const ANY = '*';

/**
 * Names of a tool that keep meaning it, the one to store first. An MCP server moves the slugs of its tools by adding another one, so its tools are
 * identified by the application, which is one connection, and the server's own name. Another tool of an account's own application is
 * identified by its request. The platform's tools keep their slugs, and former ones are aliases.
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

/** The identity that a tool of an MCP server shares with those of the same name in other applications; of another tool its own. */
export function identityInAny(identity: string): string {
  return identity.replace(/^mcp [^ ]+ /, `mcp ${ANY} `);
}
