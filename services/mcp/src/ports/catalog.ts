import type { RequestContext } from '@fairlead/service-kit/context/context';

/** One tool of one application. */
export interface ToolName {
  readonly applicationSlug: string;
  readonly toolSlug: string;
}

/** A tool with everything that names it. */
export interface NamedTool extends ToolName {
  readonly aliases: readonly string[];
  /** Its identities, the tool's own first; empty if the catalogue does not say. */
  readonly identities: readonly string[];
}

/** The tools of the catalogue that the calling account sees. */
export interface Catalog {
  /** The tools that exist, in any order; several names may be of the same tool. */
  findTools(ctx: RequestContext, names: readonly ToolName[]): Promise<readonly NamedTool[]>;
  /** Throws the catalogue's own NOT_FOUND for a name of which it has just known no tool: it names the nearest ones. */
  refuseUnknown(ctx: RequestContext, name: ToolName): Promise<never>;
}
