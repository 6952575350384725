import { z } from 'zod';
import type { KubernetesObject } from './render.ts';

const container = z.looseObject({
  name: z.string(),
  env: z
    .array(
      z.looseObject({ name: z.string(), value: z.string().optional(), valueFrom: z.unknown().optional() }),
    )
    .default([]),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
  securityContext: z.unknown().optional(),
  resources: z.looseObject({ limits: z.record(z.string(), z.string()).default({}) }).optional(),
});

/** A container, with the members that tests need. */
export type Container = z.infer<typeof container>;

const podSpec = z.looseObject({
  automountServiceAccountToken: z.boolean().optional(),
  terminationGracePeriodSeconds: z.number().optional(),
  securityContext: z.unknown(),
  initContainers: z.array(container).default([]),
  containers: z.array(container),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
});

const podTemplate = z.looseObject({
  metadata: z.looseObject({
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: podSpec,
});

const withTemplate = z.looseObject({
  replicas: z.number().optional(),
  strategy: z.unknown().optional(),
  template: podTemplate,
});

const withJob = z.looseObject({ jobTemplate: z.looseObject({ spec: withTemplate }) });

/** A Deployment, StatefulSet, Job or CronJob, with the component of its pods. */
export interface Workload {
  readonly kind: string;
  readonly name: string;
  readonly component: string;
  readonly spec: z.infer<typeof withTemplate>;
}

const COMPONENT = 'app.kubernetes.io/component';

/** The component that an object belongs to; '' for none. */
export function componentOf({ metadata }: KubernetesObject): string {
  return metadata.labels[COMPONENT] ?? '';
}

const service = z.looseObject({ selector: z.record(z.string(), z.string()) });

/** The component of the pods that a Service selects. */
export function selectedComponentOf(object: KubernetesObject): string | undefined {
  return service.parse(object['spec']).selector[COMPONENT];
}

/** Deployments, StatefulSets, Jobs and CronJobs among the objects. */
export function workloadsOf(objects: readonly KubernetesObject[]): readonly Workload[] {
  return objects
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job', 'CronJob'].includes(kind))
    .map((object) => {
      const isCron = object.kind === 'CronJob';
      const spec = isCron
        ? withJob.parse(object['spec']).jobTemplate.spec
        : withTemplate.parse(object['spec']);
      const component = spec.template.metadata.labels[COMPONENT] ?? '';
      return { kind: object.kind, name: object.metadata.name, component, spec };
    });
}

/** Specs of all pods of a release, by name of their object, including the pod of `helm test`. */
export function podsOf(
  objects: readonly KubernetesObject[],
): readonly (readonly [name: string, spec: z.infer<typeof podSpec>])[] {
  return [
    ...workloadsOf(objects).map(({ kind, name, spec }) => [`${kind} ${name}`, spec.template.spec] as const),
    ...objects
      .filter(({ kind }) => kind === 'Pod')
      .map((object) => [`Pod ${object.metadata.name}`, podSpec.parse(object['spec'])] as const),
  ];
}

const peer = z.looseObject({
  podSelector: z.looseObject({ matchLabels: z.record(z.string(), z.string()).default({}) }).optional(),
  namespaceSelector: z.unknown().optional(),
  ipBlock: z.looseObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
});

const rulePorts = z.array(z.looseObject({ port: z.number(), protocol: z.string().optional() })).default([]);

const networkPolicy = z.looseObject({
  podSelector: z.looseObject({ matchLabels: z.record(z.string(), z.string()) }),
  policyTypes: z.array(z.string()),
  ingress: z.array(z.looseObject({ from: z.array(peer).optional(), ports: rulePorts })).default([]),
  egress: z.array(z.looseObject({ to: z.array(peer).optional(), ports: rulePorts })).default([]),
});

/** A NetworkPolicy with its selected component; '' selects all. */
export interface Policy {
  readonly name: string;
  readonly component: string;
  readonly spec: z.infer<typeof networkPolicy>;
}

/** A peer of a rule. */
export type PolicyPeer = z.infer<typeof peer>;

/** The NetworkPolicies among the objects. */
export function policiesOf(objects: readonly KubernetesObject[]): readonly Policy[] {
  return objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map((object) => {
      const spec = networkPolicy.parse(object['spec']);
      return {
        name: object.metadata.name,
        component: spec.podSelector.matchLabels[COMPONENT] ?? '',
        spec,
      };
    });
}

/** The component selected by a peer; undefined if it is not a pod of the release. */
export function componentOfPeer({ podSelector }: PolicyPeer): string | undefined {
  return podSelector?.matchLabels[COMPONENT];
}
