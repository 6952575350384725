import type { Import } from '@fairlead/connector-import/import-workers';
import type { ImportJob } from '@fairlead/connector-import/import-job';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** Turns documents into applications, in processes that can be killed. */
export interface Importer {
  run(
    accountId: string,
    job: ImportJob,
    text: Uint8Array,
    o: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Import>;
}

/** The catalogue's store of the account's own applications. */
export interface ImportedApplications<A> {
  /** Stores an application under a slug that is free, and returns it; CONFLICT otherwise. */
  add(ctx: RequestContext, encodedConnector: Uint8Array): Promise<A>;
}
