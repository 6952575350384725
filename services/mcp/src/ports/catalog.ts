import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A tool of an application, by slug. */
export interface ToolName {
  readonly applicationSlug: string;
  readonly toolSlug: string;
}

/** A tool with everything that can name it. */
export interface NamedTool extends ToolName {
  readonly aliases: readonly string[];
  /** The tool's identities, its own first; empty if the catalogue returned none. */
  readonly identities: readonly string[];
}

/** The tools of the catalogue that the calling account sees. */
export interface Catalog {
  /** The existing tools, in any order; several names may mean the same tool. */
  findTools(ctx: RequestContext, names: readonly ToolName[]): Promise<readonly NamedTool[]>;
  /** Throws the catalogue's NOT_FOUND, which names the nearest slugs, for a name without a tool. */
  refuseUnknown(ctx: RequestContext, name: ToolName): Promise<never>;
}
