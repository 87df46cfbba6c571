import { IconPencil } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '@/i18n/en';
import { ActionIcon } from '@/ui/kit';
import { Table, type TableColumn } from '@/ui/layout/Table';
import { FrameState } from './FrameState';
import { startText, stopText } from './frame-times';
import type { FramesProps } from './ScheduleFrames';

type Frame = FramesProps['frames'][number];

export function FrameTable(props: FramesProps) {
  return (
    <Table
      caption={t.scheduleForm.frames}
      isInset
      columns={columns(props)}
      rows={props.frames}
      rowKey={({ number }) => number}
      isSoft={({ active }) => !active}
    />
  );
}

function columns({ faultOf, isChanged, isRemoved, disabled, onEdit }: FramesProps): TableColumn<Frame>[] {
  const labels = t.scheduleForm.columns;
  const unlessRemoved = (value: (frame: Frame) => ReactNode) => (frame: Frame) =>
    isRemoved(frame) ? '–' : value(frame);
  return [
    { label: labels.number, cell: ({ number }) => number, isRowHeader: true },
    {
      label: labels.status,
      cell: (frame) => (
        <FrameState frame={frame} fault={faultOf(frame)} isChanged={isChanged(frame)} isRemoved={isRemoved(frame)} />
      ),
    },
    { label: labels.days, cell: unlessRemoved(({ dayOfTheWeek }) => t.schedule.days[dayOfTheWeek]) },
    { label: labels.start, cell: unlessRemoved(startText) },
    { label: labels.stop, cell: unlessRemoved(stopText) },
    { label: labels.intensity, cell: unlessRemoved(({ intensity }) => intensity) },
    {
      label: labels.edit,
      cell: ({ number }) => (
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t.scheduleForm.editFrame(number)}
          data-frame={number}
          disabled={disabled}
          onClick={() => onEdit(number)}
        >
          <IconPencil size={18} aria-hidden="true" />
        </ActionIcon>
      ),
    },
  ];
}
