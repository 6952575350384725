import { z } from 'zod';
import { canonicalJson } from '../json/canonical-json.ts';

const parentRef = z.looseObject({
  group: z.string().optional(),
  kind: z.string().optional(),
  namespace: z.string().optional(),
  name: z.string(),
  sectionName: z.string().optional(),
  port: z.number().optional(),
});

const condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string(),
  observedGeneration: z.number().optional(),
  lastTransitionTime: z.string(),
});

const parentStatus = z.looseObject({
  parentRef,
  controllerName: z.string(),
  conditions: z.array(condition).default([]),
});

const backendRef = z.object({
  group: z.string().default(''),
  kind: z.string().default('Service'),
  name: z.string(),
  weight: z.number().min(0).default(1),
});

/** The members of a GRPCRoute or HTTPRoute (`gateway.networking.k8s.io/v1`) that determine a canary's weight. */
export const canaryRoute = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    generation: z.int(),
    resourceVersion: z.string(),
  }),
  spec: z.object({
    parentRefs: z.array(parentRef).default([]),
    rules: z.array(z.object({ backendRefs: z.array(backendRef).default([]) })).default([]),
  }),
  status: z.object({ parents: z.array(parentStatus).default([]) }).optional(),
});

/** A route in the form of the API server. */
export type CanaryRoute = z.infer<typeof canaryRoute>;

type ParentStatus = z.infer<typeof parentStatus>;

/** Our controller's name in the status of routes. */
export const CONTROLLER_NAME = 'fairlead.dev/gateway';

const CANARY_SUFFIX = '-canary';
const PRECISION = 100;

/** The canary's percentage in the first rule with a canary backend; 0 without such a rule. */
export function weightOfRoute({ spec }: CanaryRoute): number {
  const [backends = []] = backendsOf(spec).filter((refs) => refs.some(isCanary));
  const sum = (refs: typeof backends): number => refs.reduce((total, { weight }) => total + weight, 0);
  const total = sum(backends);
  if (total === 0) return 0;
  return Math.round((sum(backends.filter(isCanary)) / total) * 100 * PRECISION) / PRECISION;
}

/**
 * The route's `status.parents` with our entry for each of its parents, and others' entries unchanged; undefined if
 * nothing would change.
 */
export function parentsOf(route: CanaryRoute, now: Date): readonly ParentStatus[] | undefined {
  const { parents = [] } = route.status ?? {};
  const others = parents.filter(({ controllerName }) => controllerName !== CONTROLLER_NAME);
  const former = parents.filter(({ controllerName }) => controllerName === CONTROLLER_NAME);
  const own = route.spec.parentRefs.map((ref) => {
    const before = former.find((each) => isSame(each.parentRef, ref))?.conditions ?? [];
    return { parentRef: ref, controllerName: CONTROLLER_NAME, conditions: conditionsOf(route, before, now) };
  });
  return isSame(own, former) ? undefined : [...others, ...own];
}

function conditionsOf(
  route: CanaryRoute,
  before: ParentStatus['conditions'],
  now: Date,
): ParentStatus['conditions'] {
  const refs = backendsOf(route.spec).flat();
  const unsupported = refs.find(({ group, kind }) => group !== '' || kind !== 'Service');
  const resolved =
    unsupported !== undefined
      ? ['False', 'InvalidKind', `The kind of the backend ${unsupported.name} is not Service.`]
      : refs.some(isCanary)
        ? ['True', 'ResolvedRefs', '']
        : [
            'False',
            'BackendNotFound',
            `No backend is a canary: none has a name that ends in ${CANARY_SUFFIX}.`,
          ];
  const found = [
    ['Accepted', 'True', 'Accepted', ''],
    ['ResolvedRefs', ...resolved],
  ];
  return found.map(([type = '', status = '', reason = '', message = '']) => {
    const same = before.find((each) => each.type === type && each.status === status);
    const lastTransitionTime = same?.lastTransitionTime ?? `${now.toISOString().slice(0, 19)}Z`;
    const { generation: observedGeneration } = route.metadata;
    return { type, status, reason, message, observedGeneration, lastTransitionTime };
  });
}

function backendsOf({ rules }: CanaryRoute['spec']): readonly z.infer<typeof backendRef>[][] {
  return rules.map(({ backendRefs }) => backendRefs);
}

function isCanary({ name }: { readonly name: string }): boolean {
  return name.endsWith(CANARY_SUFFIX);
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
