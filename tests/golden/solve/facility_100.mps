NAME 
ROWS
 N  OBJ
 G  demand_0_period_0
 G  demand_1_period_0
 G  demand_2_period_0
 G  demand_3_period_0
 G  demand_0_period_1
 G  demand_1_period_1
 G  demand_2_period_1
 G  demand_3_period_1
 L  capacity_0_period_0
 L  capacity_1_period_0
 L  capacity_2_period_0
 L  capacity_0_period_1
 L  capacity_1_period_1
 L  capacity_2_period_1
 G  sla_0_period_0
 G  sla_0_period_1
 G  sla_1_period_0
 G  sla_1_period_1
 G  sla_2_period_0
 G  sla_2_period_1
 G  sla_3_period_0
 G  sla_3_period_1
COLUMNS
    MARKER    'MARKER'                 'INTORG'
    y[0]      OBJ       1.1175877790680210e+04
    y[0]      capacity_0_period_0  -1000000
    y[0]      capacity_0_period_1  -1000000
    y[1]      OBJ       4.5416656284293458e+03
    y[1]      capacity_1_period_0  -1000000
    y[1]      capacity_1_period_1  -1000000
    y[2]      OBJ       1.0812437336535941e+04
    y[2]      capacity_2_period_0  -1000000
    y[2]      capacity_2_period_1  -1000000
    MARKER    'MARKER'                 'INTEND'
    x[0,0,0]  OBJ       7.1308485932666912e+01
    x[0,0,0]  demand_0_period_0  1
    x[0,0,0]  capacity_0_period_0  1
    x[0,0,0]  sla_0_period_0  1
    x[0,0,1]  OBJ       7.1308485932666912e+01
    x[0,0,1]  demand_0_period_1  1
    x[0,0,1]  capacity_0_period_1  1
    x[0,0,1]  sla_0_period_1  1
    x[0,1,0]  OBJ       90.5568461808018
    x[0,1,0]  demand_1_period_0  1
    x[0,1,0]  capacity_0_period_0  1
    x[0,1,0]  sla_1_period_0  1
    x[0,1,1]  OBJ       90.5568461808018
    x[0,1,1]  demand_1_period_1  1
    x[0,1,1]  capacity_0_period_1  1
    x[0,1,1]  sla_1_period_1  1
    x[0,2,0]  OBJ       9.1326477678038145e+01
    x[0,2,0]  demand_2_period_0  1
    x[0,2,0]  capacity_0_period_0  1
    x[0,2,0]  sla_2_period_0  1
    x[0,2,1]  OBJ       9.1326477678038145e+01
    x[0,2,1]  demand_2_period_1  1
    x[0,2,1]  capacity_0_period_1  1
    x[0,2,1]  sla_2_period_1  1
    x[0,3,0]  OBJ       3.4094810237163230e+01
    x[0,3,0]  demand_3_period_0  1
    x[0,3,0]  capacity_0_period_0  1
    x[0,3,0]  sla_3_period_0  1
    x[0,3,1]  OBJ       3.4094810237163230e+01
    x[0,3,1]  demand_3_period_1  1
    x[0,3,1]  capacity_0_period_1  1
    x[0,3,1]  sla_3_period_1  1
    x[1,0,0]  OBJ       7.7794254799459267e+01
    x[1,0,0]  demand_0_period_0  1
    x[1,0,0]  capacity_1_period_0  1
    x[1,0,0]  sla_0_period_0  1
    x[1,0,1]  OBJ       7.7794254799459267e+01
    x[1,0,1]  demand_0_period_1  1
    x[1,0,1]  capacity_1_period_1  1
    x[1,0,1]  sla_0_period_1  1
    x[1,1,0]  OBJ       8.9932793279717032e+01
    x[1,1,0]  demand_1_period_0  1
    x[1,1,0]  capacity_1_period_0  1
    x[1,1,0]  sla_1_period_0  1
    x[1,1,1]  OBJ       8.9932793279717032e+01
    x[1,1,1]  demand_1_period_1  1
    x[1,1,1]  capacity_1_period_1  1
    x[1,1,1]  sla_1_period_1  1
    x[1,2,0]  OBJ       7.3486762032552321e+01
    x[1,2,0]  demand_2_period_0  1
    x[1,2,0]  capacity_1_period_0  1
    x[1,2,0]  sla_2_period_0  1
    x[1,2,1]  OBJ       7.3486762032552321e+01
    x[1,2,1]  demand_2_period_1  1
    x[1,2,1]  capacity_1_period_1  1
    x[1,2,1]  sla_2_period_1  1
    x[1,3,0]  OBJ       2.2399591101973751e+01
    x[1,3,0]  demand_3_period_0  1
    x[1,3,0]  capacity_1_period_0  1
    x[1,3,0]  sla_3_period_0  1
    x[1,3,1]  OBJ       2.2399591101973751e+01
    x[1,3,1]  demand_3_period_1  1
    x[1,3,1]  capacity_1_period_1  1
    x[1,3,1]  sla_3_period_1  1
    x[2,0,0]  OBJ       3.4534607194671537e+01
    x[2,0,0]  demand_0_period_0  1
    x[2,0,0]  capacity_2_period_0  1
    x[2,0,0]  sla_0_period_0  1
    x[2,0,1]  OBJ       3.4534607194671537e+01
    x[2,0,1]  demand_0_period_1  1
    x[2,0,1]  capacity_2_period_1  1
    x[2,0,1]  sla_0_period_1  1
    x[2,1,0]  OBJ       4.8488742223545479e+01
    x[2,1,0]  demand_1_period_0  1
    x[2,1,0]  capacity_2_period_0  1
    x[2,1,0]  sla_1_period_0  1
    x[2,1,1]  OBJ       4.8488742223545479e+01
    x[2,1,1]  demand_1_period_1  1
    x[2,1,1]  capacity_2_period_1  1
    x[2,1,1]  sla_1_period_1  1
    x[2,2,0]  OBJ       3.68565339649875
    x[2,2,0]  demand_2_period_0  1
    x[2,2,0]  capacity_2_period_0  1
    x[2,2,0]  sla_2_period_0  1
    x[2,2,1]  OBJ       3.68565339649875
    x[2,2,1]  demand_2_period_1  1
    x[2,2,1]  capacity_2_period_1  1
    x[2,2,1]  sla_2_period_1  1
    x[2,3,0]  OBJ       67.7691572285628
    x[2,3,0]  demand_3_period_0  1
    x[2,3,0]  capacity_2_period_0  1
    x[2,3,0]  sla_3_period_0  1
    x[2,3,1]  OBJ       67.7691572285628
    x[2,3,1]  demand_3_period_1  1
    x[2,3,1]  capacity_2_period_1  1
    x[2,3,1]  sla_3_period_1  1
RHS
    RHS1      demand_0_period_0  1
    RHS1      demand_1_period_0  1
    RHS1      demand_2_period_0  1
    RHS1      demand_3_period_0  1
    RHS1      demand_0_period_1  1
    RHS1      demand_1_period_1  1
    RHS1      demand_2_period_1  1
    RHS1      demand_3_period_1  1
    RHS1      sla_0_period_0  8.0579764080500782e-01
    RHS1      sla_0_period_1  8.0579764080500782e-01
    RHS1      sla_1_period_0  9.4225677049275980e-01
    RHS1      sla_1_period_1  9.4225677049275980e-01
    RHS1      sla_2_period_0  9.3872916665958028e-01
    RHS1      sla_2_period_1  9.3872916665958028e-01
    RHS1      sla_3_period_0  5.2438309545929762e-01
    RHS1      sla_3_period_1  5.2438309545929762e-01
BOUNDS
 BV BND1      y[0]    
 BV BND1      y[1]    
 BV BND1      y[2]    
ENDATA
