import { createHash } from 'node:crypto';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { z } from 'zod';
import { canonicalJson } from '../json/canonical-json.ts';

const routeSchema = z.strictObject({
  apiVersion: z.literal('gateway.networking.k8s.io/v1'),
  kind: z.enum(['GRPCRoute', 'HTTPRoute']),
  namespace: z.string().min(1),
  name: z.string().min(1),
});

const common = {
  /** Percentage of accounts whose calls go to the canary. */
  weight: z.number().min(0).max(100),
  /** Ids of accounts whose calls go to the canary, whatever the weight. */
  accounts: z.array(z.string().min(1)).default([]),
  /** Credentials that may send `x-canary-<service>`: ids of API keys, or `operator`. */
  headers: z
    .array(z.union([z.literal('operator'), z.string().regex(/^key_\w+$/, 'expected key_… or operator')]))
    .default([]),
  /** Seed of the choice, so that installations and services choose different accounts for the same weight. */
  salt: z.string().min(1),
  /** Tag of the canary's image, for information only. */
  image: z.string().optional(),
};

const ruleSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('gateway'), ...common }),
  // Whether the weight comes from the route.
  z.strictObject({ mode: z.literal('route'), ...common, route: routeSchema }),
]);

/** The canary of one service in the operator's values. */
export type CanaryRule = Readonly<z.infer<typeof ruleSchema>>;

/** The canaries of an installation, by service. */
export type CanaryRules = ReadonlyMap<string, CanaryRule>;

const rulesSchema = z.strictObject({
  services: z.strictObject(Object.fromEntries(SERVICE_NAMES.map((name) => [name, ruleSchema.optional()]))),
});

/** Parses `rules.json`. Throws an Error that names each invalid member. */
export function parseCanaryRules(text: string): CanaryRules {
  const parsed = rulesSchema.safeParse(jsonOf(text));
  if (!parsed.success) throw new Error(parsed.error.issues.flatMap(describe).join('; '));
  return new Map(
    Object.entries(parsed.data.services).flatMap(([name, rule]) =>
      rule === undefined ? [] : [[name, rule]],
    ),
  );
}

/** Digest of a rule, in 16 hexadecimal digits. */
export function digestOfRule(rule: CanaryRule): string {
  return createHash('sha256').update(canonicalJson(rule)).digest('hex').slice(0, 16);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('rules.json is not JSON');
  }
}

function describe(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => `${[...path, name].join('.')}: is not known`);
  return [`${path.join('.') || 'rules.json'}: ${issue.message}`];
}
