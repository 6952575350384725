import type { CallableTool, Credential } from '@fairlead/connector-runtime/call';
import { toolIdentities } from '@fairlead/connector-model/tool-identity';
import { ApiError } from '@fairlead/errors/api-error';
import type { ConnectionResolution } from './execution.ts';
import type { NamedTool } from './policy.ts';
import type { Toolset } from './toolset.ts';

/** A tool with the requested slug, in one of the applications that have such a tool. */
export interface Candidate {
  readonly applicationSlug: string;
  /** Whether the application is the platform's, with schemas that are proved to be bounded; false: the account's own. */
  readonly isPlatform: boolean;
  readonly definition: CallableTool;
}

/** A connection, with the facts that an execution needs. */
export interface Connection {
  readonly id: number;
  readonly applicationSlug: string;
  readonly authenticationId: number;
  /** Whether it has an unexpired licence. */
  readonly isLicensed: boolean;
  /** Whether it is the default of its account or end user. */
  readonly isDefault: boolean;
  /** The end user who owns it; null: the account. */
  readonly endUserId: string | null;
  /** Opened together with the connection; absent: it was not, or must be renewed first. */
  readonly credential?: Credential;
  /** Changes with the credential's revision. Absent: not requested. */
  readonly credentialRevision?: string;
}

/** The tool to run and its connection. */
export interface Target {
  readonly tool: Candidate;
  readonly connection: Connection;
  readonly resolution: ConnectionResolution;
  /** The toolset to which the call is restricted; absent: none. */
  readonly toolset?: Toolset;
}

/** Everything that can name the tool. */
export function namesOf(candidate: Candidate): NamedTool {
  const { toolSlug, aliases } = candidate.definition;
  return { toolSlug, aliases, identities: toolIdentities(candidate) };
}

/** Identifies a tool and its version in an approval. The slug does not suffice: another tool may get it, with the same version. */
export function versionedTool(candidate: Candidate): string {
  const { identities } = namesOf(candidate);
  return `${candidate.applicationSlug} ${identities[0]}@${candidate.definition.version}`;
}

/** The candidate in the connection's application; throws WRONG_APPLICATION if there is none. */
export function toolOfConnection(candidates: readonly Candidate[], connection: Connection): Candidate {
  const tool = candidates.find(({ applicationSlug }) => applicationSlug === connection.applicationSlug);
  if (tool) return tool;
  throw new ApiError(
    'WRONG_APPLICATION',
    `Connection ${connection.id} belongs to the application ${connection.applicationSlug}, but the tool belongs to ${listOf(candidates)}.`,
  );
}

/**
 * The only candidate whose application has a default connection, with that connection. AMBIGUOUS_TOOL naming the applications if none or
 * several have one.
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
 * Whether a call of the tool may have effects at the vendor. Only the platform's catalogue is trusted: MCP servers and imported
 * descriptions describe their own tools, and a passthrough request may do anything.
 */
export function mayHaveEffects({ definition, isPlatform }: Candidate): boolean {
  return !isPlatform || definition.retryClass !== 'readOnly' || definition.execution.type === 'passthrough';
}

/**
 * Whether a call of the tool may be repeated. Only the platform's catalogue is trusted, as for effects; for a passthrough request the HTTP
 * method decides.
 */
export function isRepeatable({
  definition,
  isPlatform,
}: Pick<Candidate, 'definition' | 'isPlatform'>): boolean {
  return isPlatform && definition.retryClass !== 'unsafe';
}

/** Throws CONNECTION_BLOCKED unless the connection has an unexpired licence. */
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
