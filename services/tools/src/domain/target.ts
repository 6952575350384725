import type { CallableTool, Credential } from '@fairlead/connector-runtime/call';
import { toolIdentities } from '@fairlead/connector-model/tool-identity';
import { ApiError } from '@fairlead/errors/api-error';
import type { ConnectionResolution } from './execution.ts';
import type { NamedTool } from './policy.ts';
import type { Toolset } from './toolset.ts';

/** A tool with the requested slug, in one of the applications that have one. */
export interface Candidate {
  readonly applicationSlug: string;
  /** Whether the application is the platform's, so that its schemas are proved to be bounded; not the account's own. */
  readonly isPlatform: boolean;
  readonly definition: CallableTool;
}

/** A connection, as an execution sees it. */
export interface Connection {
  readonly id: number;
  readonly applicationSlug: string;
  readonly authenticationId: number;
  /** Whether it has a licence that has not expired. */
  readonly isLicensed: boolean;
  /** Whether it is the default of the account, or of its end user. */
  readonly isDefault: boolean;
  /** The end user whose it is; null: the account's own. */
  readonly endUserId: string | null;
  /** Opened when the connection was read; absent: it was not, or has to be renewed first. */
  readonly credential?: Credential;
  /** Changes when the credential's revision does. Absent: it was not asked for. */
  readonly credentialRevision?: string;
}

/** The tool to run and the connection to run it with. */
export interface Target {
  readonly tool: Candidate;
  readonly connection: Connection;
  readonly resolution: ConnectionResolution;
  /** The toolset that the call is confined to; absent: none. */
  readonly toolset?: Toolset;
}

/** Everything that names the tool. */
export function namesOf(candidate: Candidate): NamedTool {
  const { toolSlug, aliases } = candidate.definition;
  return { toolSlug, aliases, identities: toolIdentities(candidate) };
}

/** Names a tool and its version for an approval: a slug may become another tool, with the same version. */
export function versionedTool(candidate: Candidate): string {
  const { identities } = namesOf(candidate);
  return `${candidate.applicationSlug} ${identities[0]}@${candidate.definition.version}`;
}

/** The candidate of the connection's application, or WRONG_APPLICATION. */
export function toolOfConnection(candidates: readonly Candidate[], connection: Connection): Candidate {
  const tool = candidates.find(({ applicationSlug }) => applicationSlug === connection.applicationSlug);
  if (tool) return tool;
  throw new ApiError(
    'WRONG_APPLICATION',
    `Connection ${connection.id} belongs to the application ${connection.applicationSlug}, but the tool belongs to ${listOf(candidates)}.`,
  );
}

/**
 * The only default connection among several candidates, with its tool. AMBIGUOUS_TOOL naming the applications if none
 * or more than one of them has a default.
 */
export function onlyDefault(
  candidates: readonly Candidate[],
  defaults: readonly Connection[],
): Omit<Target, 'resolution'> {
  const [connection, ...others] = defaults;
  if (connection && others.length === 0) {
    return { tool: toolOfConnection(candidates, connection), connection };
  }
  throw new ApiError(
    'AMBIGUOUS_TOOL',
    'Several applications have a tool with that slug. Pass applicationSlug or connectionId to choose one.',
    { candidates: candidates.map(({ applicationSlug }) => applicationSlug) },
  );
}

/**
 * Whether a call of the tool may change something at the vendor. Only what the platform's catalogue says counts: an MCP server describes its own
 * tools, an imported description those of its vendor, and a request of the caller's own may do anything.
 */
export function mayHaveEffects({ definition, isPlatform }: Candidate): boolean {
  return !isPlatform || definition.retryClass !== 'readOnly' || definition.execution.type === 'passthrough';
}

/**
 * Whether a call of the tool may be made twice. Only what the platform's catalogue says counts, as for its effects; a request of the
 * caller's own is repeatable by its method.
 */
export function isRepeatable({
  definition,
  isPlatform,
}: Pick<Candidate, 'definition' | 'isPlatform'>): boolean {
  return isPlatform && definition.retryClass !== 'unsafe';
}

/** CONNECTION_BLOCKED unless the connection has a licence that has not expired. */
export function refuseUnlicensed(connection: Connection): void {
  if (connection.isLicensed) return;
  throw new ApiError(
    'CONNECTION_BLOCKED',
    `Connection ${connection.id} has no licence, or its licence has expired. Its application was not called.`,
  );
}

function listOf(candidates: readonly Candidate[]): string {
  return candidates.map(({ applicationSlug }) => applicationSlug).join(', ');
}
