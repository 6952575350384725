import type { Connector } from '@fairlead/connector-model/model';

/** Body of `POST /v1/connections`, without the name. */
export interface ConnectionBody {
  readonly applicationSlug: string;
  readonly authenticationId?: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A tool and its inputs. */
export interface ToolCall {
  readonly toolSlug: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Required result of a call: a failure whose message contains this text; null: a success; undefined: any of these, within its deadline. */
export type Failure = string | null | undefined;

/** One way to attack the calls of a connection. */
export interface Attack {
  readonly name: string;
  readonly connection: ConnectionBody;
  /** Called when the connection was created; until then the peer is honest. Absent: it always attacks. */
  readonly connected?: () => void;
  /** Executions of this tool encounter it. */
  readonly execution?: { readonly call: ToolCall; readonly fails: Failure };
  /** Tests of the connection encounter it. */
  readonly test?: { readonly fails: Failure };
  /** True if it delays calls until their deadline. */
  readonly isSlow: boolean;
}

/** Generated conversations, a new one per call. */
export interface Conversations {
  readonly connection: ConnectionBody;
  readonly connected?: () => void;
  /** The call for the conversation with this seed. A peer that cannot tell calls apart uses consecutive seeds. */
  call(seed: number): ToolCall;
}

/** A hostile peer of one connector. */
export interface HostilePeer {
  readonly attacks: readonly Attack[];
  readonly conversations: Conversations;
  close(): Promise<void>;
}

/** Opens a peer; `vendorUrl` is the hostile vendor in the connectors' settings. */
export type OpenPeer = (o: {
  readonly connector: Connector;
  readonly vendorUrl: string;
  /** Seed of its first conversation. */
  readonly seed: number;
}) => Promise<HostilePeer>;
