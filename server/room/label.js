/**
 * What a person is shown as: the name, or where somebody has that already, the name with a number. It
 * stays as long as the person does.
 * @param {string} name
 * @param {Iterable<{ label: string }>} others
 * @returns {string} "Ada", "Ada (2)", "Ada (3)"
 */
export function labelFor(name, others) {
  const taken = new Set();
  for (const { label } of others) taken.add(label);
  let label = name;
  for (let number = 2; taken.has(label); number++) label = `${name} (${number})`;
  return label;
}
