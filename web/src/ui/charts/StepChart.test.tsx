import { render } from '@testing-library/react';
import type uPlot from 'uplot';
import { expect, test, vi } from 'vitest';
import { UiProvider } from '@/ui/UiProvider';
import { StepChart } from './StepChart';

type Drawn = [options: uPlot.Options, data: uPlot.AlignedData];

/** jsdom has no canvas, so the charts are recorded instead of painted. */
const drawn = vi.hoisted((): unknown[][] => []);
vi.mock('uplot', () => ({
  default: class {
    static paths = {};
    constructor(...chart: unknown[]) {
      drawn.push(chart);
    }
    setSize() {}
    destroy() {}
  },
}));

const EXPECTED = { median: [null, 20], least: [null, 10], most: [null, 30] };

function draw(expected?: typeof EXPECTED): Drawn {
  drawn.length = 0;
  render(
    <UiProvider>
      <StepChart
        title="Level"
        label="Level over time"
        times={[0, 60]}
        values={[40, null]}
        {...(expected && { expected })}
        span={[0, 60]}
        ticks={[0, 100]}
        text={String}
        timeAxis={{ zone: undefined, text: String, steps: [60] }}
        height={10}
        reading=""
        marks={[]}
        cursor={undefined}
        onCursor={() => undefined}
      />
    </UiProvider>,
  );
  return drawn.at(-1) as Drawn;
}

test('expected values are drawn with a filled band between the ends of their interval', () => {
  const [{ series, bands = [] }, data] = draw(EXPECTED);
  expect(series).toHaveLength(data.length);
  expect(data[2]).toEqual(EXPECTED.median);
  expect(bands).toEqual([{ series: [expect.any(Number), expect.any(Number)], fill: expect.any(String) }]);
  const [band] = bands;
  expect(band?.fill).not.toBe('');
  expect(band?.series.map((position) => data[position])).toEqual([EXPECTED.most, EXPECTED.least]);
});

test('a chart without expected values has no band', () => {
  const [{ series, bands }, data] = draw();
  expect(series).toHaveLength(data.length);
  expect(bands).toBeUndefined();
});
