import { z } from 'zod';
import type { Installation } from './installation.ts';
import { until } from './kubernetes.ts';

const route = z.object({
  spec: z.object({
    rules: z.array(
      z.object({ backendRefs: z.array(z.object({ name: z.string(), weight: z.int().optional() })) }),
    ),
  }),
});

/** The sequence of the canary's weights in a route, until `isDone`. */
export async function weightsUntil(
  { namespace }: Installation,
  ref: { readonly kind: 'grpcroute' | 'httproute'; readonly name: string },
  limitMs: number,
  isDone: () => Promise<boolean>,
): Promise<readonly number[]> {
  const seen: number[] = [];
  await until('the next version is rolled out', limitMs, async () => {
    const { spec } = await namespace.get(ref.kind, ref.name, route);
    const backends = spec.rules.flatMap(({ backendRefs }) => backendRefs);
    const weight = backends.find(({ name }) => name.endsWith('-canary'))?.weight ?? 0;
    if (seen.at(-1) !== weight) seen.push(weight);
    return isDone();
  });
  return seen;
}
