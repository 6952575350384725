import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ChangePage, ChangeSource, ChangeStore } from '../ports/changes.ts';

export interface FollowChangesDeps {
  readonly changes: Pick<ChangeStore, 'cursor'>;
  /** Whether this replica may continue; if two follow at once, the result is the same. */
  readonly mayContinue: () => Promise<boolean>;
  /** Whether to move the cursor even without changes: it expires after 30 days. */
  readonly isCursorDue: () => boolean;
}

/** Applies all remaining pages; `apply` moves the cursor last, and may be repeated. */
export async function followChanges<T>(
  { changes, mayContinue, isCursorDue }: FollowChangesDeps,
  source: ChangeSource<T>,
  ctx: RequestContext,
  apply: (page: readonly T[], cursor: string) => Promise<void>,
): Promise<void> {
  let cursor = (await changes.cursor(source.name)) ?? '';
  for (;;) {
    if (!(await mayContinue())) return;
    const page = await readPage(source, ctx, cursor);
    if (page.changes.length > 0 || isCursorDue()) await apply(page.changes, page.nextCursor);
    if (!page.hasMore) return;
    cursor = page.nextCursor;
  }
}

async function readPage<T>(
  source: ChangeSource<T>,
  ctx: RequestContext,
  cursor: string,
): Promise<ChangePage<T>> {
  try {
    return await source.read(ctx, cursor);
  } catch (error) {
    const isTooOld = cursor !== '' && error instanceof ApiError && error.code === 'NOT_FOUND';
    if (!isTooOld) throw error;
    ctx.log.warn(
      { source: source.name },
      'changes were not followed for 30 days; following those that are left',
    );
    return source.read(ctx, '');
  }
}
