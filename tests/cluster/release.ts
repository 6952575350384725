import type { Part } from './part.ts';
import { RELEASE, untilAnswering } from './support/installation.ts';
import { run, until } from './support/kubernetes.ts';

const KINDS = [
  'deployments,statefulsets,jobs,cronjobs,pods,services,endpointslices,configmaps,secrets,serviceaccounts',
  'roles,rolebindings,networkpolicies,poddisruptionbudgets,horizontalpodautoscalers,persistentvolumeclaims,ingresses',
];
const ENDED_MS = 240_000;
/** Created by Kubernetes itself, or by this suite. */
const NOT_OURS =
  /^(configmap\/kube-root-ca\.crt|serviceaccount\/default|.*sandbox-crm.*|.*\/sh\.helm\.release.*)$/;
/** Kept on purpose, as the chart's notes say: the keys, and the stores' data. */
const KEPT = /^(secret\/|persistentvolumeclaim\/)/;

/** An upgrade, a rollback, and an uninstallation that leaves only the Secrets and volumes named in the notes. */
export const release: Part = {
  name: 'release',
  async run(site) {
    const { namespace, target, upgrade } = await site.installation();
    const problems: string[] = [];
    const test = async (): Promise<void> => {
      await untilAnswering(target.baseUrl);
      await namespace.helm(['test', RELEASE, '--timeout', '2m']);
    };
    const logLevel = async (): Promise<string> =>
      namespace.kubectl([
        'get',
        `deployment/${RELEASE}-tools`,
        '-o',
        'jsonpath={.spec.template.spec.containers[0].env[?(@.name=="LOG_LEVEL")].value}',
      ]);
    await test();
    const before = await logLevel();
    const revisionBefore = await revision();
    await upgrade({ services: { tools: { settings: { LOG_LEVEL: 'warn' } } } });
    await test();
    if ((await logLevel()) !== 'warn') problems.push('the upgrade did not change LOG_LEVEL of tools');
    await namespace.helm(['rollback', RELEASE, revisionBefore, '--wait', '--timeout', '5m']);
    await test();
    if ((await logLevel()) !== before) problems.push('the rollback did not restore LOG_LEVEL of tools');

    const notes = await namespace.helm(['get', 'notes', RELEASE]);
    await namespace.helm(['uninstall', RELEASE, '--wait', '--timeout', '3m']);
    // Helm waits for the Deployments; their pods still finish their work.
    await until(
      'all pods are gone',
      ENDED_MS,
      async () => (await namespace.pods('app.kubernetes.io/component')).length === 0,
    ).catch(() => undefined); // they are named below
    const left = (await namespace.names(KINDS)).map(kindAndName).filter((name) => !NOT_OURS.test(name));
    const kept = left.filter((name) => KEPT.test(name));
    problems.push(
      ...left.filter((name) => !KEPT.test(name)).map((name) => `left after the uninstall: ${name}`),
      ...kept.filter((name) => !notes.includes(nameOf(name))).map((name) => `the notes do not name ${name}`),
    );
    return {
      figures: [
        'upgrade, rollback and uninstall, each with its helm test',
        `left, as the notes say: ${kept.join(' ')}`,
      ],
      problems,
    };

    async function revision(): Promise<string> {
      const text = await run('helm', ['history', RELEASE, '--namespace', namespace.name, '-o', 'json']);
      const found = JSON.parse(text) as readonly { readonly revision: number }[]; // Helm's own format
      return String(found.at(-1)?.revision ?? 1);
    }
  },
};

/** Converts `deployment.apps/a` to `deployment/a`. */
function kindAndName(name: string): string {
  return name.replace(/^([^./]+)[^/]*\//, '$1/');
}

function nameOf(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
