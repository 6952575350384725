import { cutText } from '@fairlead/connector-runtime/cut-text';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { ErrorObject } from 'ajv';

/** Maximum number of fields in the result: a longer list is of no use to a reader. */
const MAX_ISSUES = 100;
/** Maximum number of errors that are read: a union reports each of its branches, for each value that fails. */
const MAX_ERRORS = 10_000;
/** Maximum total length of the paths that are read: a member's name may be as large as a body. */
const MAX_PATH_LENGTH = 1_048_576;
const MAX_TEXT_LENGTH = 2_000;
const MAX_LISTED_VALUES = 50;

/** An error of ajv at a position in the value; `keyword` is its kind. */
interface Finding {
  readonly path: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly issue: string;
}

/**
 * Converts a validator's errors to one issue per field. Fields are paths as the caller sent them, below `root`:
 * `fields.address.city`, `fields.items[0].sku`. Issues never repeat a value, which may be a secret. Linear in the
 * errors; long texts are cut.
 */
export function fieldIssues(errors: readonly ErrorObject[], root: string): readonly FieldIssue[] {
  const findings: Finding[] = [];
  let pathLength = 0;
  for (const error of errors.slice(0, MAX_ERRORS)) {
    pathLength += error.instancePath.length;
    if (pathLength > MAX_PATH_LENGTH && findings.length > 0) break;
    // An `if` error only says that a branch of the condition failed; the branch's own errors are more specific.
    if (error.keyword === 'if' && errors.length > 1) continue;
    const finding = findingOf(error);
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      findings.push(finding);
      continue;
    }
    // Ajv reports the branches of a union right before the union itself; one issue summarizes them.
    const first = 1 + findings.findLastIndex(({ path }) => !isAtOrBelow(path, finding.path));
    const branches = findings.splice(first);
    // Limited, because nested unions of one value would otherwise collect each other's findings.
    findings.push(...unionFindings(finding, branches).slice(0, MAX_ISSUES));
  }
  const issues = new Map<string, Set<string>>();
  for (const { path, issue } of findings) {
    const field = root + path;
    const known = issues.get(field);
    if (known) known.add(issue);
    else if (issues.size < MAX_ISSUES) issues.set(field, new Set([issue]));
  }
  return [...issues].map(([field, texts]) => ({
    field: cutText(field, MAX_TEXT_LENGTH),
    issue: cutText([...texts].join('; '), MAX_TEXT_LENGTH),
  }));
}

/** Parses the issues in a worker's answer, with the same limits of number and length as fieldIssues. Throws TypeError for anything else. */
export function parseIssues(answer: unknown): readonly FieldIssue[] {
  if (!Array.isArray(answer)) throw new TypeError('The answer of a worker is not a list of issues.');
  return answer.slice(0, MAX_ISSUES).map((each: unknown) => {
    const { field, issue }: Readonly<Record<string, unknown>> = typeof each === 'object' ? { ...each } : {};
    if (typeof field !== 'string' || typeof issue !== 'string')
      throw new TypeError('The answer of a worker is not a list of issues.');
    return { field: cutText(field, MAX_TEXT_LENGTH), issue: cutText(issue, MAX_TEXT_LENGTH) };
  });
}

function findingOf({ keyword, instancePath, params, message }: ErrorObject): Finding {
  const parameters: Record<string, unknown> = params;
  const at = pathOf(instancePath);
  const finding = (path: string, issue: string): Finding => ({ path, keyword, params: parameters, issue });
  const name = (parameter: string): string => String(parameters[parameter]);
  switch (keyword) {
    case 'required':
      return finding(`${at}.${name('missingProperty')}`, 'is required');
    case 'dependencies':
    case 'dependentRequired':
      return finding(`${at}.${name('missingProperty')}`, `is required together with ${name('property')}`);
    case 'additionalProperties':
      return finding(`${at}.${name('additionalProperty')}`, 'is not known');
    case 'unevaluatedProperties':
      return finding(`${at}.${name('unevaluatedProperty')}`, 'is not known');
    case 'propertyNames':
      return finding(`${at}.${name('propertyName')}`, 'has a name that is not allowed');
    case 'type':
      return finding(at, `must be ${listOf(parameters['type'], String).join(' or ')}`);
    case 'enum':
      return finding(at, oneOf(listOf(parameters['allowedValues'], textOf)));
    case 'const':
      return finding(at, oneOf([textOf(parameters['allowedValue'])]));
    case 'format':
      return finding(at, `must be a valid ${name('format')}`);
    case 'anyOf':
    case 'oneOf':
      return finding(
        at,
        Array.isArray(parameters['passingSchemas'])
          ? 'matches more than one of the allowed forms'
          : 'matches none of the allowed forms',
      );
    case 'not':
      return finding(at, 'has a form that is not allowed');
    case 'false schema':
      return finding(at, 'is not allowed');
    default:
      return finding(at, message ?? 'is not valid');
  }
}

/** Summarizes the errors of a union's branches: the allowed types or values, or the branch that was probably meant. */
function unionFindings(union: Finding, branches: readonly Finding[]): readonly Finding[] {
  if (branches.length === 0 || Array.isArray(union.params['passingSchemas'])) return [union];
  const here = branches.filter(({ path }) => path === union.path);
  const inside = branches.filter(({ path }) => path !== union.path);
  const types = here
    .filter(({ keyword }) => keyword === 'type')
    .flatMap(({ params }) => listOf(params['type'], String));
  const isValue = ({ keyword }: Finding): boolean => keyword === 'enum' || keyword === 'const';
  const isType = ({ keyword }: Finding): boolean => keyword === 'type';
  if (inside.length === 0 && here.every(isType))
    return [{ ...union, issue: `must be ${[...new Set(types)].join(' or ')}` }];
  if (inside.length === 0 && here.some(isValue) && here.every((each) => isValue(each) || isType(each))) {
    const values = here
      .filter(isValue)
      .flatMap(({ params }) =>
        'allowedValues' in params
          ? listOf(params['allowedValues'], textOf)
          : [textOf(params['allowedValue'])],
      );
    return [{ ...union, issue: oneOf([...new Set(values)]) }];
  }
  // "An object of this form, or null": a caller that sent an object needs to know what is wrong in it.
  const rest = branches.filter((each) => !(isType(each) && each.path === union.path));
  return types.length > 0 && rest.length > 0 ? rest : [union];
}

function pathOf(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('');
}

function isAtOrBelow(path: string, parent: string): boolean {
  const next = path[parent.length];
  return (next === undefined || next === '.' || next === '[') && path.startsWith(parent);
}

function oneOf(values: readonly string[]): string {
  const valueList = values.slice(0, MAX_LISTED_VALUES).join(', ');
  return `must be one of: ${valueList}${values.length > MAX_LISTED_VALUES ? ', …' : ''}`;
}

function listOf(value: unknown, text: (each: unknown) => string): string[] {
  return Array.isArray(value) ? value.map((each: unknown) => text(each)) : [text(value)];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
