NAME 
ROWS
 N  OBJ
 G  demand_0
 G  demand_1
 G  demand_2
 G  demand_3
 L  capacity_0
 L  capacity_1
 L  capacity_2
 L  latency_0_0
 L  latency_0_1
 L  latency_0_2
 L  latency_0_3
 L  latency_1_0
 L  latency_1_1
 L  latency_1_2
 L  latency_1_3
 L  latency_2_0
 L  latency_2_1
 L  latency_2_2
 L  latency_2_3
COLUMNS
    MARKER    'MARKER'                 'INTORG'
    y[0]      OBJ       12900.22
    y[0]      capacity_0  -1000000
    y[1]      OBJ       12666
    y[1]      capacity_1  -1000000
    y[2]      OBJ       6623.25
    y[2]      capacity_2  -1000000
    MARKER    'MARKER'                 'INTEND'
    x[0,0]    OBJ       48.8
    x[0,0]    demand_0  1
    x[0,0]    capacity_0  1
    x[0,0]    latency_0_0  -999967.22
    x[0,1]    OBJ       65.41
    x[0,1]    demand_1  1
    x[0,1]    capacity_0  1
    x[0,1]    latency_0_1  -999987.33
    x[0,2]    OBJ       98.87
    x[0,2]    demand_2  1
    x[0,2]    capacity_0  1
    x[0,2]    latency_0_2  -999978.7
    x[0,3]    OBJ       60.7
    x[0,3]    demand_3  1
    x[0,3]    capacity_0  1
    x[0,3]    latency_0_3  -999957.74
    x[1,0]    OBJ       57.29
    x[1,0]    demand_0  1
    x[1,0]    capacity_1  1
    x[1,0]    latency_1_0  -999973.95
    x[1,1]    OBJ       23.4
    x[1,1]    demand_1  1
    x[1,1]    capacity_1  1
    x[1,1]    latency_1_1  -999998.33
    x[1,2]    OBJ       19.6
    x[1,2]    demand_2  1
    x[1,2]    capacity_1  1
    x[1,2]    latency_1_2  -999991.04
    x[1,3]    OBJ       60.38
    x[1,3]    demand_3  1
    x[1,3]    capacity_1  1
    x[1,3]    latency_1_3  -999967.9
    x[2,0]    OBJ       67.31
    x[2,0]    demand_0  1
    x[2,0]    capacity_2  1
    x[2,0]    latency_2_0  -999996.95
    x[2,1]    OBJ       39.59
    x[2,1]    demand_1  1
    x[2,1]    capacity_2  1
    x[2,1]    latency_2_1  -999986.99
    x[2,2]    OBJ       82.55
    x[2,2]    demand_2  1
    x[2,2]    capacity_2  1
    x[2,2]    latency_2_2  -999953.14
    x[2,3]    OBJ       44.34
    x[2,3]    demand_3  1
    x[2,3]    capacity_2  1
    x[2,3]    latency_2_3  -999955.42
RHS
    RHS1      demand_0  1
    RHS1      demand_1  1
    RHS1      demand_2  1
    RHS1      demand_3  1
BOUNDS
 BV BND1      y[0]    
 BV BND1      y[1]    
 BV BND1      y[2]    
ENDATA
