import type { JsonObject } from '@fairlead/connector-model/json';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Approval } from '../../domain/approval.ts';
import { notKept } from '../../domain/file-input.ts';
import type { Files } from '../../ports/files.ts';

/** The store of publishHeldFiles. */
export interface PublishHeldFilesDeps {
  readonly files: Pick<Files, 'publish'>;
  readonly clock: Clock;
}

/**
 * The inputs of an approved workflow, with `{fileId}` instead of each address whose content was stored for its approval: a run may take
 * long, and its steps read files themselves. The contents become files of the account. VALIDATION_ERROR for content that is no longer
 * stored.
 */
export async function publishHeldFiles(
  { files, clock }: PublishHeldFilesDeps,
  ctx: RequestContext,
  { approvalId, files: approved }: Pick<Approval, 'approvalId' | 'files'>,
  input: JsonObject,
): Promise<JsonObject> {
  const published: Record<string, JsonObject> = {};
  for (const { field, heldFileId: fileId, sha256 } of approved) {
    if (fileId === null) continue;
    const file = await files.publish(ctx, accountOf(ctx), { fileId, approvalId }, clock.now());
    if (file?.sha256 !== sha256) throw notKept(field);
    published[field] = { fileId };
  }
  return Object.keys(published).length === 0 ? input : { ...input, ...published };
}
