import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Approval } from '../../domain/approval.ts';
import type { Files } from '../../ports/files.ts';

/** The store of dropHeldFiles. */
export interface DropHeldFilesDeps {
  readonly files: Pick<Files, 'dropHeld'>;
  readonly clock: Clock;
}

/** Removes the contents stored for an ended approval. Never rejects: if it fails, the sweep does it later. */
export async function dropHeldFiles(
  { files, clock }: DropHeldFilesDeps,
  ctx: RequestContext,
  { approvalId, files: approved }: Pick<Approval, 'approvalId' | 'files'>,
): Promise<void> {
  if (!approved.some(({ heldFileId }) => heldFileId !== null)) return;
  await files.dropHeld(accountOf(ctx), { approvalId }, clock.now()).catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'the files of an approval that has ended could not be removed at once');
  });
}
