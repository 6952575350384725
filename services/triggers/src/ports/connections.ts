import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A connection as far as triggers look at it. */
export interface Connection {
  readonly id: number;
  readonly applicationSlug: string;
}

/** The connections of the calling account. */
export interface Connections {
  /** The connection with that id; undefined: there is none. */
  find(ctx: RequestContext, id: number): Promise<Connection | undefined>;
  /** The id of one of the application's, the account's own; undefined: there is none. */
  findOwn(ctx: RequestContext, applicationSlug: string): Promise<number | undefined>;
  /** Creates one by the application's default method, which takes no fields; its id. */
  create(ctx: RequestContext, applicationSlug: string, connectionName: string): Promise<number>;
}
