// The package has no types. Node.js knows it by its name, browsers by the folder that has it.
export default function createModel(): Promise<import('./noise-suppressor.js').NoiseModel>;
