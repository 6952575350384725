import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Approval } from '../domain/approval.ts';
import type { ApprovalStore } from '../ports/approvals.ts';

/** What listApprovals needs. */
export interface ListApprovalsDeps {
  readonly approvals: Pick<ApprovalStore, 'list'>;
  readonly clock: Clock;
}

/**
 * JSON is up to six times as large in protobuf, and a message may have 16 MiB: of a page above this, the inputs and texts of files of the
 * largest approvals are left out until it fits.
 */
const MAX_PAGE_BYTES = 2 * 1_024 * 1_024;
const CUT = 'Ask for a page with fewer approvals.';

/** One page of the account's approvals, newest first, with their number over all pages. */
export async function listApprovals(
  { approvals, clock }: ListApprovalsDeps,
  ctx: RequestContext,
  query: Parameters<ApprovalStore['list']>[2],
): Promise<{ readonly items: readonly Approval[]; readonly totalCount: number }> {
  const { items, totalCount } = await approvals.list(ctx, accountOf(ctx), query, clock.now());
  return { items: fitted(items), totalCount };
}

function fitted(items: readonly Approval[]): readonly Approval[] {
  const sizes = items.map(({ fields, query, files }) =>
    Buffer.byteLength(JSON.stringify([fields, query, files.map(({ text }) => text)])),
  );
  let total = sizes.reduce((sum, size) => sum + size, 0);
  const bySize = sizes.map((size, index) => ({ size, index })).toSorted((a, b) => b.size - a.size);
  const cut = new Set<number>();
  for (const { size, index } of bySize) {
    if (total <= MAX_PAGE_BYTES) break;
    cut.add(index);
    total -= size;
  }
  return items.map((item, index) =>
    cut.has(index)
      ? {
          ...item,
          fields: { '[cut]': CUT },
          query: Object.keys(item.query).length > 0 ? { '[cut]': CUT } : {},
          files: item.files.map((file) => (file.text ? { ...file, text: `[cut] ${CUT}` } : file)),
        }
      : item,
  );
}
