import type { ApiAuthentication } from '@fairlead/connector-model/schema/api-authentication';
import { z } from 'zod';

/** One operation that the caller wants: by its id, or by its method and path. */
export interface OperationSelection {
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly toolSlug?: string | undefined;
  readonly description?: string | undefined;
}

/** A member of the call that may be wrong. */
export interface ImportIssue {
  readonly field: string;
  readonly issue: string;
}

/** An import of an OpenAPI document, whose text comes beside the job. */
export interface OpenApiJob {
  readonly kind: 'openapi';
  readonly slug: string;
  /** The member of the call that gave the document. */
  readonly field: 'document' | 'url' | 'fileId';
  /** The address that the document came from: its servers may be relative. */
  readonly documentUrl?: string | undefined;
  /** Absent: all operations that are not deprecated. */
  readonly operations?: readonly OperationSelection[] | undefined;
  readonly baseUrl?: string | undefined;
  readonly authentication?: ApiAuthentication | undefined;
}

/** An import of a manifest: the JSON of one, or of its YAML text, comes beside the job. */
interface ManifestJob {
  readonly kind: 'manifest';
  readonly slug: string;
}

/** A job of the workers. */
export type ImportJob = OpenApiJob | ManifestJob;

/** An operation that became no tool. */
const skippedOperation = z.object({
  operationId: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  reason: z.string(),
});

/** An operation that became no tool, and why. */
export type SkippedOperation = z.output<typeof skippedOperation>;

/** The answer of a worker; the bytes of an application come beside it. */
export const importAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('imported'), skipped: z.array(skippedOperation) }),
  z.object({
    kind: z.literal('refused'),
    issues: z.array(z.object({ field: z.string(), issue: z.string() })).min(1),
  }),
]);

/** The answer of a worker. */
export type ImportAnswer = z.output<typeof importAnswer>;

/** Ends an import with what is wrong with the call. */
export class ImportRefusal extends Error {
  override readonly name = 'ImportRefusal';
  readonly issues: readonly ImportIssue[];

  constructor(...issues: readonly ImportIssue[]) {
    super(issues.map(({ field, issue }) => `${field}: ${issue}`).join('; '));
    this.issues = issues;
  }
}
