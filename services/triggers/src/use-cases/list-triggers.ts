import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { TriggerStore } from '../ports/trigger-store.ts';

/** A page of the account's triggers, newest first. */
export function listTriggers(
  { triggers }: { readonly triggers: Pick<TriggerStore, 'list'> },
  ctx: RequestContext,
  page: Page,
): ReturnType<TriggerStore['list']> {
  return triggers.list(ctx, accountOf(ctx), page);
}
