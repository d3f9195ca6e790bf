import { expect, it } from 'vitest';
import { scenarios } from '../../scenarios/index.js';
import { scenarioCommand } from '../../scenarios/scenario-command.js';
import { surveyCommand } from '../../survey/survey.js';

/** All that `--help` prints. @param {import('commander').Command} command */
function helpOf(command) {
  let text = '';
  command.configureOutput({ writeOut: (more) => (text += more) }).outputHelp();
  return text;
}

/** @param {string} name */
const scenario = (name) =>
  /** @type {import('../../scenarios/scenario.js').Scenario} */ (
    scenarios.find((one) => one.name === name)
  );

it.each([
  'carry',
  'ways',
  'sweep',
  'cpu',
  'loaded',
  'parallel',
  'controllers',
  'mesh',
  'shipped',
  'setup',
  'startup',
  'throughput',
])('%s says in its help for which figures it stands', (name) => {
  expect(helpOf(scenarioCommand(scenario(name)))).toMatch(/(figures?|tables?) \d/);
});

it('so does the survey, and mixed, of which there are no figures, for which section', () => {
  expect(helpOf(surveyCommand)).toMatch(/table 6\.1 and figure 6\.14 of Paterson/);
  expect(helpOf(scenarioCommand(scenario('mixed')))).toMatch(/section 4\.1 of Paterson/);
});

it.each([
  ['sweep', 'RFC 8868, "One-Way Propagation Delay"'],
  ['loaded', 'RFC 8867, "Media Flow Competing with a Long TCP Flow"'],
  ['parallel', 'RFC 8867, "Competing Media Flows'],
  ['controllers', 'RFC 8867, "Variable Available Capacity with a Single Flow"'],
  ['ways', '"Cellular Network Specific Test Cases"'],
  ['shipped', '"Wi-Fi Networks Specific Test Cases"'],
  ['carry', '"Wi-Fi Networks Specific Test Cases"'],
])('%s names the RFCs’ case that it is', (name, words) => {
  expect(helpOf(scenarioCommand(scenario(name)))).toContain(words);
});

it('options that a scenario leaves to its defaults are known without a command line', () => {
  const { duration, repetitions, ways } = scenarioCommand(scenario('sweep'))
    .parse(['--duration', '7', '--ways', 'stream'], { from: 'user' })
    .opts();
  expect({ duration, repetitions, ways }).toEqual({
    duration: 7,
    repetitions: 5,
    ways: ['stream'],
  });
});

it.each([
  ['failover', '--duration', '60'],
  ['memory', '--duration', '60'],
  ['adapt', '--duration', '60'],
  ['interplay', '--duration', '60'],
  ['throughput', '--duration', '60'],
  ['switching', '--duration', '60'],
  ['setup', '--duration', '60'],
  ['startup', '--warm-up', '5'],
  ['crowd', '--transports', 'websocket'],
  ['sweep', '--transports', 'websocket'],
  ['soak', '--browser'],
])('%s has no option %s, which would change nothing in it', (name, ...argv) => {
  const command = scenarioCommand(scenario(name)).exitOverride();
  command.configureOutput({ writeErr: () => {} });
  expect(() => command.parse(argv, { from: 'user' })).toThrow(`unknown option '${argv[0]}'`);
  expect(helpOf(scenarioCommand(scenario(name)))).not.toContain(argv[0]);
});

it('each scenario has a value of each common option, whether it is offered or not', () => {
  for (const one of scenarios)
    expect(scenarioCommand(one).parse([], { from: 'user' }).opts(), one.name).toMatchObject({
      duration: expect.any(Number),
      transports: expect.any(Array),
      warmUp: 1.5,
      browser: expect.any(Boolean),
    });
});

it.each([
  ['rtt', '--repetitions', '2.5'],
  ['rtt', '--seed', '1.5'],
  ['load', '--talking', 'all'],
  ['crowd', '--workers', 'auto'],
  ['failover', '--kills', '-1'],
  ['failover', '--repetitions', '5'],
  ['nodes', '--repetitions', '5'],
  ['soak', '--repetitions', '5'],
])('%s takes no %s %s, which would measure something else', (name, option, value) => {
  const command = scenarioCommand(scenario(name)).exitOverride();
  command.configureOutput({ writeErr: () => {} });
  expect(() => command.parse([option, value], { from: 'user' })).toThrow('whole number');
});
