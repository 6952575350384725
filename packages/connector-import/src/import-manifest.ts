import { ofUnion, toConnector } from '@fairlead/connector-model/compile-manifest';
import { pathText } from '@fairlead/connector-model/gates/problem';
import type { Problem } from '@fairlead/connector-model/gates/problem';
import { manifestSchema } from '@fairlead/connector-model/manifest';
import type { Manifest } from '@fairlead/connector-model/manifest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { Connector } from '@fairlead/connector-model/model';
import { issueText } from '@fairlead/service-kit/json/issue-text';
import type { z } from 'zod';
import { connectorIssues } from './build-connector.ts';
import { ImportRefusal } from './import-job.ts';

const MAX_ISSUES = 50;
/** Authentication schemes whose connections need only a credential. */
const KINDS = ['Regular', 'Key'];

/** Creates an application from a manifest with the request's slug. Throws ImportRefusal that names all problems. */
export function importManifest(source: JsonObject, slug: string): Connector {
  const manifest = parsed({ slug, ...source });
  refuse(reserved(manifest, slug));
  const { source: _source, operations: _operations, icon: _icon, hosts: _hosts, ...members } = manifest;
  const unresolved: Problem[] = [];
  const connector = toConnector({ ...members, maturity: 'generated' }, unresolved);
  refuse([...unresolved, ...connectorIssues(connector)]);
  return connector;
}

function parsed(source: JsonObject): Manifest {
  const { data, error } = manifestSchema.safeParse(source, { error: issueText });
  if (data !== undefined) return data;
  throw refusal(error.issues.flatMap(ofUnion).flatMap(problemsOf));
}

/** One problem per member: an issue may name several unknown ones. */
function problemsOf(issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? step.toString() : step));
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...path, key], message: 'is not known here' }))
    : [{ path, message: issue.message }];
}

/** The members that only the platform's own manifests may have. */
function reserved(manifest: Manifest, slug: string): readonly Problem[] {
  const { kind, settings, triggerTypes, tools, source, operations } = manifest;
  const problems: (Problem | false)[] = [
    manifest.slug !== slug && { path: ['slug'], message: `must be ${slug}, the slug of the call` },
    !KINDS.includes(kind) && { path: ['kind'], message: `must be one of ${KINDS.join(', ')}` },
    settings.length > 0 && { path: ['settings'], message: 'are reserved for the platform' },
    triggerTypes.length > 0 && { path: ['triggerTypes'], message: 'are reserved for the platform' },
    (source !== undefined || operations.length > 0) && {
      path: ['source'],
      message: 'is reserved for the platform; import the OpenAPI document itself',
    },
    tools.length === 0 && { path: ['tools'], message: 'must have at least one tool' },
    ...tools.map(
      ({ handler }, index) =>
        handler !== undefined && {
          path: ['tools', index, 'handler'],
          message: 'handlers are reserved for the platform',
        },
    ),
    ...manifest.authenticationMethods.map(
      ({ test }, index) =>
        test?.type === 'handler' && {
          path: ['authenticationMethods', index, 'test'],
          message: 'handlers are reserved for the platform',
        },
    ),
  ];
  return problems.filter((problem) => problem !== false);
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw refusal(problems);
}

function refusal(problems: readonly Problem[]): ImportRefusal {
  return new ImportRefusal(
    ...problems.slice(0, MAX_ISSUES).map(({ path, message }) => ({
      field: pathText(['manifest', ...path]),
      issue: message,
    })),
  );
}
