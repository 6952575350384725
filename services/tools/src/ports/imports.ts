import type { Import } from '@fairlead/connector-import/import-workers';
import type { ImportJob } from '@fairlead/connector-import/import-job';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { AllowedServer } from '@fairlead/connector-model/packages/allowed-package';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** Converts documents to applications, in killable processes. */
export interface Importer {
  run(
    accountId: string,
    job: ImportJob,
    text: Uint8Array,
    o: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Import>;
}

/** The packages that the operator allows. */
export interface PackageDescriptions {
  /** The description that the package gives of itself; undefined: it is not allowed. Throws CallFailure and OverloadError. */
  describe(
    packageVersion: { readonly name: string; readonly version: string },
    o: { readonly accountId: string; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<
    | {
        readonly kind: 'piece' | 'mcp';
        readonly description: JsonObject;
        /** The fields of a server's connections. */
        readonly fields: AllowedServer['fields'];
      }
    | undefined
  >;
}

/** The account's own applications in the catalogue. */
export interface ImportedApplications<A> {
  /** Stores an application under a free slug, and returns it; CONFLICT if the slug is taken. */
  add(ctx: RequestContext, encodedConnector: Uint8Array): Promise<A>;
}
