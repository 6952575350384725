import type { Connector } from '@fairlead/connector-model/model';

/** The body of `POST /v1/connections`, without the name. */
export interface ConnectionBody {
  readonly applicationSlug: string;
  readonly authenticationId?: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A tool with its inputs. */
export interface ToolCall {
  readonly toolSlug: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How a call must end: in a failure whose message holds this text, or, if null, in a success. Undefined: in any of them, within its deadline. */
export type Failure = string | null | undefined;

/** One way in which a peer attacks the calls of a connection. */
export interface Attack {
  readonly name: string;
  readonly connection: ConnectionBody;
  /** Called when the connection is made: until then the peer is honest. Absent: it always attacks. */
  readonly connected?: () => void;
  /** Executions of this tool meet it. */
  readonly execution?: { readonly call: ToolCall; readonly fails: Failure };
  /** Tests of the connection meet it. */
  readonly test?: { readonly fails: Failure };
  /** It keeps calls waiting until their deadline. */
  readonly isSlow: boolean;
}

/** Generated conversations, a new one for each call. */
export interface Conversations {
  readonly connection: ConnectionBody;
  readonly connected?: () => void;
  /** The call that meets the conversation of this seed; a peer that cannot tell calls apart gives the next seed to the next one. */
  call(seed: number): ToolCall;
}

/** A hostile peer of one connector. */
export interface HostilePeer {
  readonly attacks: readonly Attack[];
  readonly conversations: Conversations;
  close(): Promise<void>;
}

/** Opens a peer; `vendorUrl` is the hostile vendor at which the connectors' settings aim. */
export type OpenPeer = (o: {
  readonly connector: Connector;
  readonly vendorUrl: string;
  /** The seed of its first conversation. */
  readonly seed: number;
}) => Promise<HostilePeer>;
