import type { RequestContext } from '@fairlead/service-kit/context/context';
import { mergedPrompts } from '../../domain/merged-lists.ts';
import type { ServerPrompt } from '../../domain/merged-lists.ts';
import type { Upstream } from '../../domain/upstream-lists.ts';
import { findOffering } from './find-offering.ts';
import type { FindOfferingDeps } from './find-offering.ts';

/** The prompt with that name; waits for lists only if no known prompt has it. Undefined: there is none. */
export async function findPrompt(
  deps: FindOfferingDeps,
  ctx: RequestContext,
  upstreams: readonly Upstream[],
  name: string,
): Promise<ServerPrompt | undefined> {
  for (const wish of ['atOnce', 'known', 'fresh'] as const) {
    const prompt = mergedPrompts(await findOffering(deps, ctx, upstreams, wish)).get(name);
    if (prompt !== undefined) return prompt;
  }
  return undefined;
}
