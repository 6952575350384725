import type { AllowedServer } from '@fairlead/connector-model/packages/allowed-package';
import type { ApiAuthentication } from '@fairlead/connector-model/schema/api-authentication';
import { z } from 'zod';

/** An operation to import: by its id, or by its method and path. */
export interface OperationSelection {
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly toolSlug?: string | undefined;
  readonly description?: string | undefined;
}

/** A member of the caller's request that may be invalid. */
export interface ImportIssue {
  readonly field: string;
  readonly issue: string;
}

/** An import of an OpenAPI document, whose text is in the job's bytes. */
export interface OpenApiJob {
  readonly kind: 'openapi';
  readonly slug: string;
  /** The request's member that contained the document. */
  readonly field: 'document' | 'url' | 'fileId';
  /** The document's URL, because its servers may be relative. */
  readonly documentUrl?: string | undefined;
  /** Absent: all operations that are not deprecated. */
  readonly operations?: readonly OperationSelection[] | undefined;
  readonly baseUrl?: string | undefined;
  readonly authentication?: ApiAuthentication | undefined;
}

/** An import of a manifest, whose JSON (or the JSON of its YAML text) is in the job's bytes. */
interface ManifestJob {
  readonly kind: 'manifest';
  readonly slug: string;
}

/** An import of a package, whose description is in the job's bytes. */
export interface PackageJob {
  readonly kind: 'piece' | 'mcp';
  readonly slug: string;
  readonly package: string;
  readonly version: string;
  /** The fields that the operator gives to the connections of a server. */
  readonly fields?: AllowedServer['fields'];
}

/** A job of the workers. */
export type ImportJob = OpenApiJob | ManifestJob | PackageJob;

/** An operation for which no tool was created. */
const skippedOperation = z.object({
  operationId: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  reason: z.string(),
});

/** An operation for which no tool was created, and the reason. */
export type SkippedOperation = z.output<typeof skippedOperation>;

/** A worker's answer; an application is in the answer's bytes. */
export const importAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('imported'), skipped: z.array(skippedOperation) }),
  z.object({
    kind: z.literal('refused'),
    issues: z.array(z.object({ field: z.string(), issue: z.string() })).min(1),
  }),
]);

/** The answer of a worker. */
export type ImportAnswer = z.output<typeof importAnswer>;

/** Thrown to refuse an import because of the caller's request. */
export class ImportRefusal extends Error {
  override readonly name = 'ImportRefusal';
  readonly issues: readonly ImportIssue[];

  constructor(...issues: readonly ImportIssue[]) {
    super(issues.map(({ field, issue }) => `${field}: ${issue}`).join('; '));
    this.issues = issues;
  }
}
