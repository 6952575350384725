/** A JSON value in Python, over several lines if it is not short; `indent` is that of the line where it begins. */
export function pythonLiteral(value: unknown, indent: number): string {
  const flat = inline(value);
  if (flat.length <= 60 || typeof value !== 'object' || value === null) return flat;
  const inner = indent + 4;
  const [open, close, lines] = Array.isArray(value)
    ? ['[', ']', value.map((item) => pythonLiteral(item, inner))]
    : [
        '{',
        '}',
        Object.entries(value).map(
          ([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member, inner)}`,
        ),
      ];
  const pad = ' '.repeat(inner);
  return `${open}\n${lines.map((line) => `${pad}${line},\n`).join('')}${' '.repeat(indent)}${close}`;
}

function inline(value: unknown): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${inline(member)}`);
  return `{${members.join(', ')}}`;
}
