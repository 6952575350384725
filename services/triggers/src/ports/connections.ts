import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The facts about a connection that triggers need. */
export interface Connection {
  readonly id: number;
  readonly applicationSlug: string;
}

/** The connections of the calling account. */
export interface Connections {
  /** The connection with that id; undefined: there is none. */
  find(ctx: RequestContext, id: number): Promise<Connection | undefined>;
  /** The id of one of the account's own connections of the application; undefined: there is none. */
  findOwn(ctx: RequestContext, applicationSlug: string): Promise<number | undefined>;
  /** Creates a connection by the application's default method, which has no fields; returns its id. */
  create(ctx: RequestContext, applicationSlug: string, connectionName: string): Promise<number>;
}
